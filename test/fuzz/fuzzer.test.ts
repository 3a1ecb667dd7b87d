/** The engine finds planted faults, says how to repeat them, and tries the same inputs for the same seed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { Coverage } from './coverage.ts';
import { fuzz } from './fuzzer.ts';
import { linear, type Target } from './target.ts';

const coverage = new Coverage();
const directory = mkdtempSync(join(tmpdir(), 'skep-fuzzer-'));
afterAll(() => {
  coverage.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** A parser with a fault behind four characters, each in a block of its own: guesses of four such words in a row would need some hundred million inputs. */
const DEEP = `
export function read(text) {
  if (text[0] !== 'f') return 0;
  if (text[1] !== '!') return 1;
  if (text[2] !== '9') return 2;
  if (text[3] !== 'Z') return 3;
  throw new TypeError('planted');
}
export function slow(text) {
  let steps = 0;
  for (const a of text) for (const b of text) steps += a === b ? 1 : 0;
  return steps;
}
`;

type Module = { readonly read: (text: string) => number; readonly slow: (text: string) => number };

async function planted(): Promise<Module> {
  const path = join(directory, 'planted.mjs');
  writeFileSync(path, DEEP);
  return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Module;
}

const target = (run: Target['run'], more: Partial<Target> = {}): Target => ({
  name: 'planted',
  form: 'bytes',
  covers: ['/planted.mjs'],
  seeds: ['sound'],
  words: [],
  bytesMax: 64,
  stepsMax: linear(100, 100),
  run,
  ...more,
});
const round = (inputs: number, seed = 1) => ({ inputs, seed, coverage });

test('a fault behind four blocks is found by the blocks that lead there, made short, and said with its seed', async () => {
  const { read } = await planted();
  const reader = target((input) => void read(input.toString('latin1')), { words: 'abcdef!?0189XYZ'.split('') });
  const { failure, tried, kept } = await fuzz(reader, round(20_000));
  expect(failure).toContain('planted, seed 1: TypeError: planted');
  expect(failure).toContain(`input (base64): ${Buffer.from('f!9Z').toString('base64')}`);
  expect(tried).toBeLessThan(20_000);
  expect(kept).toBeGreaterThan(3);
});

test('the same seed tries the same inputs', async () => {
  const tried = async (seed: number): Promise<string> => {
    const inputs: string[] = [];
    await fuzz(
      target((input) => void inputs.push(input.toString('base64'))),
      round(300, seed),
    );
    return inputs.join();
  };
  expect(await tried(5)).toBe(await tried(5));
  expect(await tried(6)).not.toBe(await tried(5));
});

test('work that grows with the square of an input is over its steps', async () => {
  const { slow } = await planted();
  const reader = target((input) => void slow(input.toString('latin1')), { bytesMax: 500, stepsMax: linear(1000, 50) });
  expect((await fuzz(reader, round(2000))).failure).toMatch(/it takes \d+ steps, and \d+ are the most/);
});

test('an answer that never comes, and an error that nothing catches', async () => {
  const never = target((input) => (input.includes('x') ? new Promise(() => {}) : Promise.resolve()), { words: ['x'] });
  expect((await fuzz(never, round(2000))).failure).toContain('it never answers');
  const uncaught = target(
    async (input) => {
      if (input.includes('x'))
        setImmediate(() => {
          throw new Error('from a stream');
        });
    },
    { words: ['x'] },
  );
  expect((await fuzz(uncaught, round(2000))).failure).toContain('nothing catches Error: from a stream');
});

test('a seed that fails is not fed to a round', async () => {
  const broken = target(() => {
    throw new Error('broken');
  });
  await expect(fuzz(broken, round(10))).rejects.toThrow('broken');
});
