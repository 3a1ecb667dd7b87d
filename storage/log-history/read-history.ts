/** Entries of a shard behind a place, in order: out of pieces as long as the log has let them go, then out of the log. Each follows on the one before by its chain, or nothing of it is given. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogPlace } from '../applied.ts';
import { makeDirectory } from '../directory.ts';
import { Corruption } from '../fault.ts';
import { firstBreak } from '#storage/log-engine/chain.ts';
import { EngineRefused, TrimGap, type LogEngine, type LogEntry, type ShardState } from '#storage/log-engine/port.ts';
import { untilKnown, type Pause } from '#storage/log-engine/until-known.ts';
import type { LogSeal } from '#storage/log-seal/seal.ts';
import { fetchStored } from '#storage/shard-copy/fetch-stored.ts';
import { readPieceName } from '#storage/shard-copy/piece-name.ts';
import type { CopyPlace } from '#storage/shard-copy/place.ts';
import { readPiece } from './piece-file.ts';

export interface ReadHistory {
  readonly engine: Pick<LogEngine, 'look' | 'readOwn'>;
  readonly shard: number;
  readonly place: CopyPlace;
  /** Null where the log is not sealed. */
  readonly seal: LogSeal | null;
  /** A directory for pieces that are fetched, for as long as this runs. */
  readonly scratch: string;
  /** Bytes of entries that are read at once. */
  readonly readBytesMax: number;
  /** Between two calls of which the first had no outcome; rejects to give up. */
  readonly pause: Pause;
  /** Asked while bytes come: rejects where the disk has no room for more. */
  readonly room?: (() => Promise<void>) | undefined;
}

/** Entries that were let go lie in no piece, or in one that cannot be used: the message says which, and where. */
export class HistoryGap extends Error {}

/** Ends where the log ends. The newest entries may be those of a writer that does not know them durable yet. Rejects with HistoryGap, Corruption and EngineRefused. */
export async function* entriesBehind(work: ReadHistory, after: LogPlace): AsyncGenerator<LogEntry[]> {
  const { engine, pause, shard } = work;
  let at = after;
  for (;;) {
    const before = at;
    const state = await untilKnown(() => engine.look(shard), pause);
    const isGone = at.seq < state.trimmed;
    try {
      for await (const read of isGone ? ofPiece(work, before, state) : ofLog(work, before, state)) {
        const entries = read.filter(({ seq }) => seq > at.seq);
        const broken = firstBreak(at.seq, at.chain, entries);
        if (broken !== null)
          throw new EngineRefused(
            `shard ${shard}: entry ${broken} ${isGone ? `in ${work.place.where}` : 'of the log'} does not follow on what was read before`,
          );
        const last = entries.at(-1);
        if (last === undefined) continue;
        at = { seq: last.seq, chain: last.chain };
        yield entries;
      }
    } catch (error) {
      // They were let go meanwhile, so they lie in pieces now.
      if (!(error instanceof TrimGap)) throw error;
      continue;
    }
    if (!isGone) return;
  }
}

async function* ofLog(work: ReadHistory, { seq }: LogPlace, state: ShardState): AsyncGenerator<readonly LogEntry[]> {
  const { engine, pause, readBytesMax, shard } = work;
  let { epoch, tail } = state;
  let after = seq;
  while (after < tail) {
    const from = after;
    const by = epoch;
    const chunk = await untilKnown(() => engine.readOwn(shard, by, from, readBytesMax), pause);
    if (chunk === null) {
      // Another owner has claimed it meanwhile, and entries of its own lie behind.
      ({ epoch, tail } = await untilKnown(() => engine.look(shard), pause));
      continue;
    }
    const last = chunk.entries.at(-1);
    if (last === undefined) return;
    after = last.seq;
    yield chunk.entries;
  }
}

/** The piece that has the next entry. */
async function* ofPiece(work: ReadHistory, { seq }: LogPlace, { trimmed }: ShardState): AsyncGenerator<LogEntry[]> {
  const { place, room, scratch, seal, shard } = work;
  const known = (await place.pieces(shard)).map((name) => ({ name, ...readPieceName(name)! }));
  const covering = known.filter(({ from, to }) => from <= seq + 1 && to > seq).toSorted((a, b) => b.to - a.to);
  const [piece] = covering;
  if (piece === undefined) {
    const next = known.find(({ from }) => from > seq)?.from ?? trimmed + 1;
    throw new HistoryGap(`shard ${shard}: entries ${seq + 1} to ${next - 1} are in no piece in ${place.where}`);
  }
  const { name, sha256 } = piece;
  const where = `${place.where}: ${name}`;
  await rm(scratch, { recursive: true, force: true });
  try {
    const to = join(makeDirectory(scratch), 'piece');
    await fetchStored({ place, name, sha256, shard, seal, to, room }).catch((error: unknown) => {
      if (error instanceof EngineRefused) throw error;
      throw new HistoryGap(`${where}: ${(error as Error).message}`);
    });
    yield* readPiece(to, piece, where);
  } catch (error) {
    throw error instanceof Corruption ? new HistoryGap(error.message) : error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
