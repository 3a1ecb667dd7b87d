/**
 * Copies logs to their targets and has them cosigned, round after round. A target that contradicts the log stays as it is, and the log is refused.
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import { Cosigning } from './cosign-round.ts';
import type { Freshness } from './freshness.ts';
import type { LogBook } from './log-book.ts';
import { refusalOf } from './judge-target.ts';
import { matchesLog } from './log-id.ts';
import type { SyncSettings } from './settings.ts';
import { openFiles } from './store.ts';
import { syncLog } from './sync.ts';
import { targetOf } from './targets.ts';

export interface SyncPorts {
  readonly book: LogBook;
  readonly log: Log;
  readonly after: (ms: number, run: () => void) => () => void;
}

export interface CopyPorts extends SyncPorts {
  /** Ages of the copies, and of the cosigned checkpoints. */
  readonly synced: Freshness;
  readonly witnessed: Freshness;
}

/** Starts the rounds of one `sync` entry; gives the function that ends them, after the one under way. */
export function startSync(ports: CopyPorts, settings: SyncSettings): () => Promise<void> {
  const { after, book, log, synced, witnessed } = ports;
  let running: Promise<void> = Promise.resolve();
  let callOff = (): void => undefined;
  let stopped = false;
  const cosigning = new Cosigning(book);
  const round = async (): Promise<void> => {
    const ids = book.ids();
    for (const fresh of [synced, witnessed]) fresh.keepOnly((id) => ids.includes(id));
    for (const id of ids.filter((one) => matchesLog(settings.pattern, one))) {
      if (!stopped && settings.anchor !== null) await cosign(id);
      for (const target of settings.targets) if (!stopped) await copy(id, target);
    }
  };
  const cosign = async (id: string): Promise<void> => {
    for (const witness of book.witnessesOf(id)) {
      witnessed.expect(id, witness.url);
      try {
        await cosigning.cosign(id, witness);
        if (!book.refused.has(id)) witnessed.done(id, witness.url);
      } catch (error) {
        const fields = { log_id: id, witness: witness.url, error: (error as Error).message };
        log.warn(
          fields,
          'witness unreachable or without an answer: the audit log was not cosigned; the next round asks again',
        );
      }
    }
  };
  const copy = async (id: string, target: string): Promise<void> => {
    synced.expect(id, target);
    try {
      const directory = targetOf(target, id);
      const outcome = await syncLog(await book.open(id), openFiles(directory));
      if (outcome === 'same' || outcome === 'copied') synced.done(id, target);
      else await book.refuse(id, refusalOf(outcome, directory));
    } catch (error) {
      log.warn(
        { log_id: id, target, error: (error as Error).message },
        'the audit log was not copied to its target; the next round tries again',
      );
    }
  };
  const later = (): void => {
    callOff = after(Math.max(1, settings.cadenceMs || limits.audit.syncCadenceMs), () => {
      running = round().then(() => (stopped ? undefined : later()));
    });
  };
  later();
  return async () => {
    stopped = true;
    callOff();
    await running;
  };
}
