/**
 * How a shard comes to a new owner: claim, an entry of its own without records, and then everything before that entry. An old owner's last commit may be on one copy only when the claim is made. The new
 * owner's entry lies behind it in the engine's own log, so once that one is acknowledged the old commit is on all copies or gone for good, and a read shows which.
 */
import { chained, FIRST_CHAIN, firstBreak } from './chain.ts';
import { EngineRefused, OutcomeUnknown, TrimGap } from './port.ts';
import type { Chain, Claim, ClaimWish, LogEngine, LogEntry } from './port.ts';
import { untilKnown, type Pause } from './until-known.ts';

/** What the claimer has: all entries up to `seq`, of a log whose hash is `chain` there. */
export interface Base {
  readonly seq: number;
  readonly chain: Chain;
}

export const EMPTY_BASE: Base = { seq: 0, chain: FIRST_CHAIN };

export interface TakeOver {
  readonly engine: LogEngine;
  readonly wish: ClaimWish;
  /** Gives the next claim where one missed its epoch, as when the owner before gave the shard up meanwhile: for a claimer that knows behind its look that the shard is its own to take. Without it a miss is the end. */
  readonly again?: ((missed: ClaimWish) => Promise<ClaimWish>) | undefined;
  readonly base: Base;
  /** Up to where entries were let go, as the caller's look at the shard showed; looked for where it is absent. */
  readonly trimmed?: number;
  /** Bytes of entries that are read at once. */
  readonly bytesMax: number;
  /** The entries between the base and the begin, in order. */
  readonly take: (entries: readonly LogEntry[]) => Promise<void> | void;
  /** Between two calls of which the first had no outcome; rejects to give up. */
  readonly pause: Pause;
}

/** Where the owner goes on. */
export interface Owned {
  readonly epoch: number;
  readonly seq: number;
  readonly chain: Chain;
  /** No instant of an earlier owner is later. */
  readonly time: number;
}

/**
 * Null when another claimer was faster, at any point; where `again` is given, only behind the own claim. Rejects with TrimGap when the base is older than what was let go, before it claims anything, and
 * with EngineRefused when the log is not the one that the base is of: before it claims anything, too, where a writer has confirmed the base's last entry.
 */
export async function takeOver(work: TakeOver): Promise<Owned | null> {
  const { engine, again, base, pause } = work;
  let { wish } = work;
  const { shard } = wish;
  const trimmed = work.trimmed ?? (await untilKnown(() => engine.look(shard), pause)).trimmed;
  if (base.seq < trimmed) throw new TrimGap(shard, base.seq, trimmed);
  await prove(work, trimmed);
  const claimNow = (): Promise<Claim | null> => engine.claim(wish);
  let claim = await untilKnown(claimNow, pause);
  while (claim === null) {
    if (again === undefined) return null;
    wish = await again(wish);
    claim = await untilKnown(claimNow, pause);
  }
  if (claim.tail < base.seq)
    throw new EngineRefused(
      `shard ${shard}: the log ends at ${claim.tail}, and ${base.seq} entries of it were read before`,
    );
  const begin = beginOf(claim, wish.token);
  const [outcome] = await untilKnown(() => engine.append([begin]), pause);
  if (outcome === 'lost' || !(await readUpTo(begin, work))) return null;
  return { epoch: begin.epoch, seq: begin.seq, chain: begin.chain, time: begin.time };
}

/**
 * A claimer whose base is of another log would take the shard from an owner that works. What a read says is a hint alone, and a claim decides: but no entry that was confirmed is ever
 * another one, so a base that differs from it is wrong, whichever server was asked.
 */
async function prove({ engine, wish: { shard }, base, pause }: TakeOver, trimmed: number): Promise<void> {
  const before = base.seq - 1;
  if (before < trimmed) return;
  const found = await untilKnown(() => engine.readConfirmed(shard, before, 1), pause).catch((error: unknown) => {
    // It was let go meanwhile: what follows it shows the same.
    if (error instanceof TrimGap) return null;
    throw error;
  });
  const entry = found?.entries[0];
  if (entry !== undefined && entry.chain !== base.chain)
    throw new EngineRefused(`shard ${shard}: entry ${base.seq} of the log is not the one that was read before`);
}

/** Without records; its body says whose it is. */
function beginOf({ shard, epoch, tail, chain, time }: Claim, token: string): LogEntry {
  return chained(chain, { shard, epoch, seq: tail + 1, confirmed: 0, first: 0, time, body: Buffer.from(token) });
}

/** False when the shard was taken meanwhile. A server that does not have the begin yet is not the one that acknowledged it. */
async function readUpTo(begin: LogEntry, { engine, wish, base, bytesMax, take, pause }: TakeOver): Promise<boolean> {
  let { seq, chain } = base;
  while (seq < begin.seq) {
    const after = seq;
    const chunk = await untilKnown(() => engine.readOwn(wish.shard, begin.epoch, after, bytesMax), pause);
    if (chunk === null) {
      const { epoch } = await untilKnown(() => engine.look(wish.shard), pause);
      if (epoch > begin.epoch) return false;
    }
    if (chunk === null || chunk.end < begin.seq) {
      await pause(new OutcomeUnknown(`shard ${wish.shard}: the server that answers does not have this owner's begin`));
      continue;
    }
    const broken = firstBreak(seq, chain, chunk.entries);
    if (broken !== null || chunk.entries.length === 0)
      throw new EngineRefused(`shard ${wish.shard}: entry ${broken ?? after + 1} does not follow what was read before`);
    await take(chunk.entries.filter((entry) => entry.seq < begin.seq));
    ({ seq, chain } = chunk.entries.at(-1)!);
  }
  return true;
}
