import { expect, test } from 'vitest';
import { flameOf, flameSvg, pictureOf, type Flame } from '#bench/kit/flame.ts';

const frame = (id: number, functionName: string, url: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url, lineNumber: 9 },
  children,
});

/** `serve` calls `read` by two ways of V8's, which are one to a reader; and `write <b>`, of a package. */
const profile = {
  nodes: [
    frame(1, '(root)', '', [2, 3, 7]),
    frame(2, 'serve', 'file:///skep/host.worker.ts', [4, 5, 6]),
    frame(3, '(idle)', ''),
    frame(4, 'read', 'file:///skep/read.ts'),
    frame(5, 'read', 'file:///skep/read.ts'),
    frame(6, 'write <b>', 'file:///skep/node_modules/p/index.js'),
    frame(7, '(garbage collector)', ''),
  ],
  samples: [2, 4, 3, 5, 6, 7],
  timeDeltas: [1000, 2000, 90_000, 3000, 3500, 500],
};

const plain = ({ name, ms, below }: Flame): unknown =>
  below.size === 0 ? [name, ms] : [name, ms, ...[...below.values()].map(plain)];

test('time of a function is its own and that of what it called; the same calls are one, idle time is none', () => {
  expect(plain(flameOf(profile))).toEqual([
    '',
    10,
    ['(garbage collector)', 0.5],
    ['serve host.worker.ts', 9.5, ['write <b>', 3.5], ['read read.ts', 5]],
  ]);
});

test('a deep stack is no fault', () => {
  const deep = 20_000;
  const nodes = Array.from({ length: deep }, (_, id) => frame(id, `f${id % 7}`, '', id + 1 < deep ? [id + 1] : []));
  expect(flameOf({ nodes, samples: [deep - 1], timeDeltas: [1000] }).ms).toBe(1);
});

test('a picture says what is what, and how much it was', () => {
  const svg = pictureOf('reads & writes', [{ name: 'CPU.1', profile, hot: [], busyMs: 10 }]);
  expect(svg).toContain('<title>reads &amp; writes: host: busy 10 % of 0 s</title>');
  expect(svg).toContain('<title>read read.ts: 50.0 %</title><rect class="own" x="0.0"');
  expect(svg).toContain('<title>write &lt;b&gt;: 35.0 %</title><rect class="package" x="600.0"');
  expect(svg).toContain('<rect class="garbage"');
  expect(svg.match(/width="(\d+\.\d)"/g)).toEqual(['width="1139.4"', 'width="599.4"', 'width="419.4"', 'width="59.4"']);
});

test('what is too narrow to be seen is left out', () => {
  const below = new Map<string, Flame>();
  const flame: Flame = { name: '', kind: 'native', ms: 1000, below };
  for (const [name, ms] of [
    ['seen', 6],
    ['unseen', 4],
  ] as const)
    below.set(name, { name, kind: 'own', ms, below: new Map() });
  const svg = flameSvg('t', [{ title: 'host', flame }]);
  expect([svg.includes('seen: 0.6 %'), svg.includes('unseen')]).toEqual([true, false]);
});
