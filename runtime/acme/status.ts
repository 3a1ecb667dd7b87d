/** What is so of the certificates that a node orders, out of its files: for `skep tls status` and `skep doctor`, beside a node that serves or is stopped. */
import type { Platform } from '#config/platform.ts';
import { attemptsOf, recall } from './memory.ts';
import { dueAtMs, type NameFacts } from './next-action.ts';
import { lifeIn } from './pairs.ts';
import { orderedPairs } from './places.ts';

export interface NameStatus extends NameFacts {
  readonly file: string;
  /** When it is ordered next. */
  readonly dueMs: number;
}

export async function statusOf(
  platform: Pick<Platform, 'gateway' | 'storage'>,
  nowMs: number,
): Promise<readonly NameStatus[]> {
  const pairs = orderedPairs(platform);
  if (pairs.length === 0) return [];
  const memory = await recall(platform.storage.dir, nowMs);
  return pairs.map(({ file, name }) => {
    const facts = { name, life: lifeIn(file), attempts: attemptsOf(memory, name) };
    return { ...facts, file, dueMs: Math.max(nowMs, dueAtMs(facts)) };
  });
}
