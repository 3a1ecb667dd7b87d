/** The keys of a sealed log, for threads that need them there alone: what asks the vault is not loaded where the log is plain. */
import { isLogSealed } from '#config/journal-problems.ts';
import type { Platform } from '#config/platform.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';

/** Loads the code that asks; null of a log that is not sealed. */
export async function loadSeal(platform: Pick<Platform, 'storage'>) {
  return isLogSealed(platform) ? import('./log-seal.ts') : null;
}

/** Null of a log that is not sealed. Rejects as `logSeal`. */
export async function sealOf(platform: Pick<Platform, 'storage' | 'vault'>): Promise<LogSeal | null> {
  const loaded = await loadSeal(platform);
  return loaded === null ? null : loaded.logSeal(platform);
}
