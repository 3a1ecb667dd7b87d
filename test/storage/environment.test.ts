/** The traps of lmdb-js (`storage/environment.ts` names them), each as a fact about our opening of it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { openEnvironment, type Environment, type EnvironmentOptions, type Write } from '#storage/environment.ts';
import { bytes, place, text } from './place.ts';

function openAt(path: string, options: Partial<EnvironmentOptions> = {}): Environment {
  const environment = openEnvironment(path, {
    onFatal: (error) => {
      throw error;
    },
    ...options,
  });
  onTestFinished(() => environment.close());
  return environment;
}

const open = (path = join(place(), 'env')): Environment => openAt(path);

const keysOf = (environment: Pick<Environment, 'range'>): string[] =>
  Array.from(environment.range('\0', '\xff'), ({ key }) => key);

it('takes one commit at a time: the second of two could be kept though its base was not', async () => {
  const environment = open();
  const first = environment.commit([['a', bytes('1')]]);
  await expect(environment.commit([['b', bytes('1')]])).rejects.toThrow('one commit at a time');
  await first;
  await environment.commit([['c', bytes('1')]]);
  expect(keysOf(environment)).toEqual(['a', 'c']);
});

it.each<[string, Write]>([
  ['a key that is too long', ['k'.repeat(1979), bytes('')]],
  ['an empty key', ['', bytes('')]],
  ['a value that is not bytes', ['k', 'text' as unknown as Uint8Array]],
  ['a missing value', ['k', undefined as unknown as null]],
])('writes nothing of a list that holds %s, for a throw in the batch would commit the first half', async (_, bad) => {
  const environment = open();
  await expect(environment.commit([['a', bytes('1')], bad])).rejects.toThrow();
  expect(keysOf(environment)).toEqual([]);
  await environment.commit([['b', bytes('1')]]);
  expect(keysOf(environment)).toEqual(['b']);
});

it('takes keys up to 1,978 bytes, as bounds of ranges too', async () => {
  const environment = open();
  const keys = Array.from({ length: 60 }, (_, i) => `${String(i).padStart(3, '0')}${'k'.repeat(1915 + i)}`);
  await environment.commit(keys.map((key) => [key, bytes(key)]));
  for (let i = 0; i + 5 < keys.length; i++) {
    expect(Array.from(environment.range(keys[i]!, keys[i + 5]!), ({ key }) => key)).toEqual(keys.slice(i, i + 5));
    const reversed = Array.from(environment.range(keys[i]!, keys[i + 5]!, true), ({ key }) => key);
    expect(reversed).toEqual(keys.slice(i, i + 5).toReversed());
    expect(text(environment.get(keys[i]!))).toBe(keys[i]);
  }
});

it('gives values of their own length, though LMDB-js reuses one long buffer', async () => {
  const environment = open();
  const large = Buffer.alloc(17 * 1024 * 1024, 7);
  await environment.commit([
    ['a', bytes('a long value to begin with')],
    ['b', bytes('12345')],
    ['c', new Uint8Array(0)],
    ['large', large],
  ]);
  environment.get('a');
  const value = environment.get('b')!;
  expect([value.length, value.subarray(2).length, text(value.subarray(2))]).toEqual([5, 3, '345']);
  expect(environment.get('c')?.length).toBe(0);
  expect(Buffer.compare(environment.get('large')!, large)).toBe(0);
});

it('gives values of a range that stay', async () => {
  const environment = open();
  await environment.commit([
    ['a', bytes('one')],
    ['b', bytes('two')],
  ]);
  const entries = Array.from(environment.range('a', 'c'));
  environment.get('b');
  expect(entries.map(({ value }) => text(value))).toEqual(['one', 'two']);
});

it('shows a commit to the next read, though a read of the same turn had begun its transaction', async () => {
  const environment = open();
  await environment.commit([['a', bytes('1')]]);
  for (let i = 0; i < 200; i++) {
    const range = environment.range('a', 'b');
    range.next();
    const committed = environment.commit([['a', bytes(String(i))]]);
    environment.get('a');
    await committed;
    expect(text(environment.get('a'))).toBe(String(i));
    range.return?.();
  }
});

it('holds a snapshot across commits and closes with it open', async () => {
  const environment = open();
  await environment.commit([['a', bytes('1')]]);
  const snapshot = environment.snapshot();
  await environment.commit([
    ['a', null],
    ['b', bytes('2')],
  ]);
  const late = environment.snapshot();
  expect([keysOf(snapshot), keysOf(late), text(snapshot.get('a'))]).toEqual([['a'], ['b'], '1']);
  snapshot.close();
  snapshot.close();
  expect(() => snapshot.get('a')).toThrow('closed');
  await environment.close();
  expect(() => late.range('a', 'b')).toThrow('closed');
});

it('counts a commit without an answer as failed, reports it once, and takes no more', async () => {
  const reported: Error[] = [];
  const environment = openAt(join(place(), 'env'), { onFatal: (error) => reported.push(error), commitAnswerMs: 1 });
  // The replay alone holds the thread longer than the answer may take.
  const many: Write[] = Array.from({ length: 50_000 }, (_, i) => [`k${i}`, bytes('v')]);
  await expect(environment.commit(many)).rejects.toThrow('LMDB commit failed');
  await expect(environment.commit([['a', null]])).rejects.toThrow('LMDB commit failed');
  expect(reported).toHaveLength(1);
});

it('is not hung by a thread that dies in the middle of a large batch', async () => {
  const path = join(place(), 'env');
  const environment = openAt(path);
  for (let round = 0; round < 3; round++) {
    const worker = new Worker(new URL('./dying-writer.worker.ts', import.meta.url), { workerData: path });
    await new Promise((resolve) => worker.once('message', resolve));
    await worker.terminate();
    await environment.commit([[`after ${round}`, bytes('1')]]);
  }
  expect(keysOf(environment).filter((key) => key.startsWith('after'))).toHaveLength(3);
});

it.skipIf(process.platform !== 'linux')(
  'lets the system read no page ahead, which took 2 ms of the thread for one page (skipped elsewhere: no smaps)',
  async () => {
    const path = join(place(), 'env');
    const environment = openAt(path);
    await environment.commit([['a', bytes('1')]]);
    const maps = readFileSync('/proc/self/smaps', 'latin1').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m);
    const ours = maps.filter((map) => map.includes(join(path, 'data.mdb')));
    expect(ours).not.toEqual([]);
    for (const map of ours) expect(map).toMatch(/^VmFlags:.* rr/m);
  },
);

it('copies what is committed, equal content to equal bytes, for its owner alone', async () => {
  const environment = open();
  await environment.commit([
    ['a', bytes('1')],
    ['b', bytes('2')],
  ]);
  const [first, second] = [join(place(), 'first'), join(place(), 'second')];
  await environment.copyTo(first);
  await environment.copyTo(second);
  expect(readFileSync(join(first, 'data.mdb'))).toEqual(readFileSync(join(second, 'data.mdb')));
  expect(statSync(join(first, 'data.mdb')).mode & 0o777).toBe(0o600);
  await environment.commit([['b', null]]);
  const copy = openAt(first);
  expect(keysOf(copy)).toEqual(['a', 'b']);
  expect(text(copy.get('b'))).toBe('2');
});

it('closes when the copies under way are whole', async () => {
  const path = join(place(), 'env');
  const environment = openEnvironment(path, { onFatal: () => undefined });
  await environment.commit([['a', bytes('x'.repeat(1_000_000))]]);
  const to = join(place(), 'copy');
  const copied = environment.copyTo(to);
  await environment.close();
  await copied;
  expect(keysOf(openAt(to))).toEqual(['a']);
});

it('says what does not open, where LMDB-js itself would end the process', () => {
  const path = join(place(), 'env');
  mkdirSync(join(path, 'lock.mdb'), { recursive: true });
  expect(() => open(path)).toThrow(`${join(path, 'lock.mdb')} is no file`);
});

it('rejects in a process that has no descriptor left, and opens there when it has some again', () => {
  const source = new URL('../../storage/environment.ts', import.meta.url);
  const program = `
    import { closeSync, openSync } from 'node:fs';
    import { openEnvironment } from '${source.href}';
    const path = ${JSON.stringify(join(place(), 'env'))};
    const open = () => openEnvironment(path, { onFatal: (error) => { throw error; } });
    await open().close();
    const held = [];
    try { for (;;) held.push(openSync('/dev/null')); } catch {}
    for (let left = 0; left < 12; left++) {
      try { await open().close(); console.log('opened', left); }
      catch (error) { console.log(error.code); }
      closeSync(held.pop());
    }
    process.exit(0);`;
  const line = 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"';
  const out = execFileSync('sh', ['-c', line, process.execPath, program], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  expect(out).toMatch(/^(EMFILE\n)+(opened \d+\n)+$/);
});
