import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runStep } from '#bench/all/child.ts';
import { HELP, parseAll } from '#bench/all/options.ts';
import { everything } from '#bench/all/steps.ts';
import { cases } from '#bench/cases.ts';
import { contests } from '#bench/duel/contests.ts';
import { parseOptions } from '#bench/kit/options.ts';

/** A killed process whose parent is gone may wait for its new one: it runs no more. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('every case and every contest is in one step, and no name is there twice', () => {
  const steps = everything(parseOptions([]));
  const asked = steps.filter(({ command }) => !command.includes('--pin')).flatMap(({ command }) => command.slice(1));
  expect(asked.toSorted()).toEqual([...cases, ...contests, { name: 'jq' }].map(({ name }) => name).toSorted());
  expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length);
  for (const { seconds } of steps) expect(seconds).toBeGreaterThan(0);
});

test('some contests are held once more with the load on a core of its own, unless all are', () => {
  const again = everything(parseOptions([])).filter(({ command }) => command.includes('--pin'));
  const names = contests.filter(({ alsoApart }) => alsoApart).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(0);
  expect(again.flatMap(({ command }) => command.slice(1, -1))).toEqual(names);
  expect(everything(parseOptions(['--pin'])).filter(({ command }) => command.includes('--pin'))).toEqual([]);
});

test('flags go to every step in one order, with short lengths where none are given', () => {
  const { flags, json, fresh } = parseAll(['--pairs', '2', '--hosts', '1', '--seconds', '5'])!;
  expect(flags).toEqual(['--seconds', '5', '--pairs', '2', '--rows', '50000', '--grown', '200000', '--hosts', '1']);
  expect([json, fresh]).toEqual(['bench/results/all.json', false]);
  expect(parseAll(['--pin'])!.flags.at(-1)).toBe('--pin');
  expect(() => parseOptions(parseAll(['--pin'])!.flags)).not.toThrow();
  expect(() => parseAll(['--second', '1'])).toThrow('--second');
  expect(parseAll(['--help'])).toBeNull();
  expect(HELP).toContain('--fresh');
});

test('a step that ends badly is a failure with its last words, and what it started ends with it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-step-'));
  try {
    const [script, pids] = [join(dir, 'step.mjs'), join(dir, 'pid')];
    writeFileSync(
      script,
      `import { spawn } from 'node:child_process'; import { writeFileSync } from 'node:fs';
       const child = spawn('sleep', ['600'], { stdio: 'ignore' }); writeFileSync(${JSON.stringify(pids)}, String(child.pid));
       console.error('first'); console.error('no memory'); process.exit(3);`,
    );
    const wish = { kind: 'case', name: 'bad', command: [script], seconds: 1 } as const;
    const step = await runStep(wish, { json: join(dir, 'none.json'), flags: [] });
    expect(step).toMatchObject({ name: 'bad', report: null, failure: 'it ended with 3: no memory' });
    const started = Number(readFileSync(pids, 'utf8'));
    await expect.poll(() => isAlive(started)).toBe(false);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
