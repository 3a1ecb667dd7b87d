/** What is remembered of each name through a restart, so that a node that is started again and again does not ask the authority each time. */
import { join } from 'node:path';
import { FRESH, remembered, type Attempts } from './next-action.ts';
import { acmeDirectory } from './places.ts';
import { readIfThere, writePrivately } from './private-file.ts';

export type Memory = ReadonlyMap<string, Attempts>;

const placeOf = (dataDir: string): string => join(acmeDirectory(dataDir), 'attempts.json');

/** What the file holds; a file that cannot be understood counts as none, and is replaced at the next attempt. */
export async function recall(dataDir: string, nowMs: number): Promise<Memory> {
  return memoryIn(parsed(await readIfThere(placeOf(dataDir))), nowMs);
}

/** By name; what is no such note is left out. */
export function memoryIn(noted: object, nowMs: number): Memory {
  const found = new Map<string, Attempts>();
  for (const [name, value] of Object.entries(noted)) {
    const attempts = attemptsIn(value);
    if (attempts !== null) found.set(name, remembered(attempts, nowMs));
  }
  return found;
}

export async function remember(dataDir: string, memory: Memory): Promise<void> {
  await writePrivately(placeOf(dataDir), `${JSON.stringify(Object.fromEntries(memory), null, 2)}\n`);
}

export const attemptsOf = (memory: Memory, name: string): Attempts => memory.get(name) ?? FRESH;

function parsed(text: string | null): object {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function attemptsIn(value: unknown): Attempts | null {
  if (typeof value !== 'object' || value === null) return null;
  const { failures, failure, notBeforeMs } = value as Partial<Record<keyof Attempts, unknown>>;
  if (!Number.isSafeInteger(failures) || (failures as number) < 0 || !Number.isFinite(notBeforeMs)) return null;
  const { atMs, mend, what } = (failure ?? {}) as Partial<Record<'atMs' | 'mend' | 'what', unknown>>;
  const isWhole = Number.isFinite(atMs) && typeof what === 'string' && typeof mend === 'string';
  return {
    failures: failures as number,
    notBeforeMs: notBeforeMs as number,
    failure: isWhole ? { atMs: atMs as number, what, mend } : null,
  };
}
