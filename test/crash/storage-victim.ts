/** Runs the victim and examines what it left. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Store } from '#storage/port.ts';
import { openAt } from '#test/storage/place.ts';
import { bodyOf, keysOf } from './storage-rows.ts';

const WRITER = fileURLToPath(new URL('./storage-writer.ts', import.meta.url));

export interface Victim {
  readonly process: ChildProcess;
  readonly lines: string[];
  /** Resolves when it has printed `count` lines that begin with `start`. */
  printed(start: string, count: number): Promise<void>;
  /** Resolves with its exit code, null for a signal. */
  readonly ended: Promise<number | null>;
}

export function startVictim(dataDir: string, window: number, env: Readonly<Record<string, string>> = {}): Victim {
  const child = spawn(process.execPath, [WRITER, dataDir, String(window)], {
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  let rest = '';
  child.stdout.setEncoding('latin1').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop()!;
    lines.push(...parts);
    child.emit('lines');
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const printed = async (start: string, count: number): Promise<void> => {
    const done = (): boolean => lines.filter((line) => line.startsWith(start)).length >= count;
    while (!done()) {
      const code = await Promise.race([
        ended,
        new Promise<undefined>((resolve) => child.once('lines', () => resolve(undefined))),
      ]);
      if (code !== undefined && !done())
        throw new Error(`the victim ended with ${code}: ${lines.slice(-3).join(', ')}`);
    }
  };
  return { process: child, lines, printed, ended };
}

export const acknowledged = (lines: readonly string[]): number[] =>
  lines.filter((line) => line.startsWith('ack ')).map((line) => Number(line.slice(4)));

/** Opens the files: every acknowledged turn is there, unless a later one ended its row, and no turn is half there. */
export async function examine(dataDir: string, acks: readonly number[]): Promise<number> {
  const archive = await openAt(dataDir);
  const stores = [archive.store(0, 1), archive.store(1, 1)];
  const counts = stores.map((store) => Number(Buffer.from(store.begin().get('count') ?? []).toString()));
  for (const id of acks) expect(counts[id % 2]).toBeGreaterThanOrEqual(id);
  for (const [i, store] of stores.entries()) examineRows(store, counts[i]!);
  await archive.close();
  return Math.max(...counts);
}

/** The counter moves in the turn of its row: all rows up to it, and none beyond. */
function examineRows(store: Store, count: number): void {
  const turn = store.begin();
  const expected = new Map<string, string>();
  for (let id = count; id > 0 && id > count - 400; id -= 2) {
    for (const key of keysOf(id)) expected.set(key, bodyOf(id).toString());
  }
  if (count > 0) expected.set('count', String(count));
  const found = new Map<string, string>();
  for (const { key, value } of turn.range('', '\xff')) found.set(key, Buffer.from(value).toString());
  expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [key, value] of expected) expect(found.get(key)).toBe(value);
}
