/** A shard's store that is at the end of its log, as a store of files: it forgets its place, in one commit. */
import { randomUUID } from 'node:crypto';
import { forgetMarks, readReach } from '../applied.ts';
import { EngineRefused, type LogEngine } from '#storage/log-engine/port.ts';
import { untilKnown, type Pause } from '#storage/log-engine/until-known.ts';
import { changed } from './adopt-shard.ts';

export interface LeaveShard {
  readonly engine: Pick<LogEngine, 'claim' | 'look'>;
  readonly pause: Pause;
  readonly shard: number;
  /** The directory of the store, which no process has open. */
  readonly path: string;
  /** The name under which the shard is claimed for good, so that no node serves it from the log any more. */
  readonly owner: string;
}

/** Claims the shard, where that was not done, and compares: rejects with EngineRefused where the store has not everything, and changes no store. */
export async function holdShard({ engine, pause, shard, path, owner }: LeaveShard): Promise<void> {
  const state = await untilKnown(() => engine.look(shard), pause);
  if (state.owner === owner) return;
  if (state.owner !== null)
    throw new EngineRefused(
      `shard ${shard}: ${state.owner} has it: end that node, or start the one of this directory once and stop it; then begin again`,
    );
  const here = await changed(path, (environment) => Promise.resolve(readReach(environment)?.whole ?? null));
  const wish = { shard, seen: state.epoch, owner, token: randomUUID() };
  const end = { seq: here?.seq ?? 0, chain: here?.chain };
  if (state.tail !== end.seq)
    throw new EngineRefused(
      `shard ${shard}: its store ends at entry ${end.seq} of the log, and the log at ${state.tail}: another node writes to it`,
    );
  const claim = await untilKnown(() => engine.claim(wish), pause);
  if (claim === null || claim.tail !== end.seq || (end.chain !== undefined && claim.chain !== end.chain))
    throw new EngineRefused(`shard ${shard}: another node wrote to the log meanwhile: end it, and begin again`);
}

/** False where it was done before. */
export function forgetLog({ path }: Pick<LeaveShard, 'path'>): Promise<boolean> {
  return changed(path, async (environment) => {
    if (readReach(environment) === null) return false;
    await environment.commit(forgetMarks());
    return true;
  });
}
