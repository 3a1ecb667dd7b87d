/** The keys that seal a log: secrets of the vault, which is asked for them by each thread that writes or reads the log, without the vault's own thread, since a node that waits and a command have none. */
import { randomBytes } from 'node:crypto';
import { isLogSealed } from '#config/journal-problems.ts';
import type { Platform } from '#config/platform.ts';
import { EngineRefused, OutcomeUnknown } from '#storage/log-engine/port.ts';
import { clusterOf } from '#storage/log-engine/postgres/cluster.ts';
import { addSealMark, sealMarks } from '#storage/log-engine/postgres/seal-marks.ts';
import { Session } from '#storage/log-engine/postgres/session.ts';
import { DATA_KEY_BYTES, fitsMark, LogSeal, markOf } from '#storage/log-seal/seal.ts';
import { NODE_SCOPE } from '#actors/vault/caller/scope.ts';
import type { Secrets } from '#actors/vault/secret/secrets.ts';
import { BackendDown } from '#actors/vault/store.ts';
import { LOG_KEYS } from '#runtime/threads/vault-settings.ts';
import { sessionOf } from './log-of.ts';
import { inVault } from './in-vault.ts';

/** By whom, as the vault's record of a secret says. */
const NODE = 'node';

type Keys = ReadonlyMap<number, Buffer>;

/**
 * Null where the platform file does not have the log sealed. The first call makes the first key. Rejects with OutcomeUnknown where the database or the vault's store does not answer, with EngineRefused where the vault's
 * keys are not those of the log, and as `rootKey` and `Seal.unseal`. Nothing of the log is read or claimed by it.
 */
export async function logSeal(platform: Pick<Platform, 'storage' | 'vault'>): Promise<LogSeal | null> {
  if (!isLogSealed(platform)) return null;
  const { id: log } = await clusterOf(sessionOf(platform));
  const renew = (): Promise<Keys> => withVault(platform, log, (keys) => keys.all());
  return new LogSeal({ log, keys: await renew(), renew, random: randomBytes });
}

/** Begins the next key; gives its number. Nodes seal with it when they open the log next. Rejects as `logSeal`. */
export async function beginLogKey(platform: Platform): Promise<number> {
  const { id: log } = await clusterOf(sessionOf(platform));
  return withVault(platform, log, async (keys) => {
    const next = Math.max(...(await keys.all()).keys()) + 1;
    await keys.add(next);
    return next;
  });
}

async function withVault<T>(
  platform: Pick<Platform, 'storage' | 'vault'>,
  log: string,
  run: (keys: LogKeys) => Promise<T>,
): Promise<T> {
  const options = sessionOf(platform);
  let session: Session | null = null;
  try {
    session = await Session.open(options);
    const own = session;
    return await inVault(platform, ({ secrets }) => run(new LogKeys(own, options.answerMs, secrets, log)), true);
  } catch (error) {
    if (error instanceof BackendDown) throw new OutcomeUnknown(`the vault: ${error.message}`, { cause: error });
    throw error;
  } finally {
    session?.close();
  }
}

/** The keys of one log in an open vault, and their marks in the log. */
class LogKeys {
  readonly #session: Session;
  readonly #lockMs: number;
  readonly #secrets: Secrets;
  readonly #log: string;

  constructor(session: Session, lockMs: number, secrets: Secrets, log: string) {
    this.#session = session;
    this.#lockMs = lockMs;
    this.#secrets = secrets;
    this.#log = log;
  }

  /** All of them, each the one by which the log was sealed. */
  async all(): Promise<Keys> {
    let marks = await sealMarks(this.#session);
    if (marks.size === 0) {
      await this.add(1);
      marks = await sealMarks(this.#session);
    }
    const keys = new Map<number, Buffer>();
    for (const [no, mark] of marks) {
      const key = await this.#read(no);
      if (key === null || !fitsMark(key, this.#log, no, mark)) throw this.#refused(no, key === null);
      keys.set(no, key);
    }
    return keys;
  }

  /** Another node may have made it meanwhile: then it is that one. */
  async add(no: number): Promise<void> {
    const made = randomBytes(DATA_KEY_BYTES);
    const { ok } = await this.#secrets.write(this.#place(no), made, NODE, 0);
    const key = ok ? made : (await this.#read(no))!;
    await addSealMark(this.#session, this.#lockMs, no, markOf(key, this.#log, no));
  }

  async #read(no: number): Promise<Buffer | null> {
    const found = await this.#secrets.read(this.#place(no), null);
    return found !== null && 'value' in found ? found.value : null;
  }

  #place(no: number): { readonly scope: string; readonly name: string } {
    return { scope: NODE_SCOPE, name: `${LOG_KEYS}${this.#log}/${no}` };
  }

  #refused(no: number, isGone: boolean): EngineRefused {
    const what = isGone ? `has no key ${no} of this log` : `has another key ${no} than the one that sealed this log`;
    return new EngineRefused(
      `the vault ${what}; nothing was opened\n    name the vault of this log (vault.backend, its prefix), or put it back as it was`,
    );
  }
}
