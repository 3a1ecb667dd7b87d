/** How a log stands beside what it holds: its newest record, its copies, its witnesses, and the look of the scrubber. Numbers alone: no name and no place of a copy leaves the node. */
import { timestamp } from '#actors/kit/clock.ts';
import type { BodyOf } from '#actors/protocol/body.ts';
import type { AuditLog } from './audit-log.ts';
import type { Freshness } from './freshness.ts';
import type { LogBook } from './log-book.ts';
import type { logShape } from './shapes.ts';

/** What the scrubber knows of logs. */
export interface LogScrubs {
  /** The end of the last whole round over all logs, in milliseconds since 1970; null before the first. */
  readonly endedAt: number | null;
  /** How many faults the newest whole look at a log found; null before the first since the thread started. */
  faultsOf(logId: string): number | null;
}

export interface LogRounds {
  /** Ages of the copies, and of the cosigned checkpoints. */
  readonly synced: Freshness;
  readonly witnessed: Freshness;
  /** Null where nothing is scrubbed. */
  readonly scrubs: LogScrubs | null;
}

interface Parts {
  readonly book: LogBook;
  readonly rounds: LogRounds;
}

type Standing = Pick<BodyOf<typeof logShape>, 'newest_at' | 'copies' | 'witnesses' | 'scrub'>;

/** `size`: of the checkpoint that is shown with it. */
export async function standingOf(log: AuditLog, size: number, { book, rounds }: Parts): Promise<Standing> {
  const { synced, witnessed, scrubs } = rounds;
  const { copies, witnesses } = book.peersOf(log.id);
  const ended = scrubs?.endedAt ?? null;
  return {
    newest_at: await newestAt(log, size),
    copies: { count: copies, behind_seconds: synced.behindSeconds(log.id) },
    witnesses: { count: witnesses, behind_seconds: witnessed.behindSeconds(log.id) },
    scrub:
      scrubs === null
        ? null
        : { round_ended_at: ended === null ? null : timestamp(ended), faults: scrubs.faultsOf(log.id) },
  };
}

/**
 * The time of the newest record under a checkpoint of this size; null without one. A checkpoint has no time of its own (C2SP tlog-checkpoint). A log whose newest bundle cannot be read
 * still says what it refuses, so that is null as well.
 */
async function newestAt(log: AuditLog, size: number): Promise<string | null> {
  try {
    const [entry] = size === 0 ? [] : await log.records(size - 1, 1);
    return entry === undefined ? null : (JSON.parse(entry.toString()) as { readonly ts: string }).ts;
  } catch {
    return null;
  }
}
