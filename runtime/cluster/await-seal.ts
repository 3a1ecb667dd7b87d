/** A node whose log is sealed waits at its start until its vault gives the keys, and says to the operator what is missing. */
import type { Platform } from '#config/platform.ts';
import { OutcomeUnknown } from '#storage/log-engine/port.ts';
import type { Log } from '#actors/host/activation.ts';
import { logSeal } from './log-seal.ts';
import { pause } from './log-of.ts';

/** Does nothing where the log is not sealed. Rejects with EngineRefused where the vault's keys are not those of the log, and where its root key is wrong. */
export async function awaitSeal(platform: Platform, log: Log): Promise<void> {
  let told = '';
  for (;;) {
    try {
      await logSeal(platform);
      if (told !== '') log.info({}, 'the vault gives the keys of the log: the start goes on');
      return;
    } catch (error) {
      const why = whyWaiting(error as Error);
      if (why === null) throw error;
      if (why !== told) log.warn({ why }, WAITS);
      told = why;
      await pause();
    }
  }
}

const WAITS =
  'the log is sealed, and its vault does not give the keys yet, so nothing is opened: put the root key where vault.seal.current names it, or see to the store of the vault; the node goes on by itself';

/** Null for what does not pass by itself. */
function whyWaiting(error: Error): string | null {
  if (error instanceof OutcomeUnknown) return error.message;
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code === 'ENOENT' ? error.message : null;
}
