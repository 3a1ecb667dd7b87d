/**
 * Erases one person's submissions from the log. Submissions are taken meanwhile; only a rotation and an append hold the writer:
 *
 *   rotate ─▶ for each file behind: find lines ─▶ append an erasure that names their hashes, sync ─▶ write the file anew, rename
 *
 * A crash leaves files with their lines or without them. A repeated erasure finds what is left, and names it again.
 */
import { limits } from '#config/limits.ts';
import type { LogDisk } from '#storage/log/disk.ts';
import { openLine } from '#storage/log/chain.ts';
import { eraseLines } from '#storage/log/erase-lines.ts';
import type { JsonlLog } from '#storage/log/jsonl-log.ts';
import { readLines } from '#storage/log/read-lines.ts';
import type { Place } from '#storage/log/read-back.ts';
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import { appendDurably, type ExpiredFiles } from '../log/store.ts';
import type { ErasureTurns } from '../store-port.ts';
import type { Submission } from '../submission.ts';
import { entryOf, erasureLine, standInOf } from './log-entry.ts';
import { isFrom, type Person } from './person.ts';

export interface ErasableLog {
  readonly log: JsonlLog;
  readonly disk: LogDisk;
  readonly files: ExpiredFiles;
  readonly clock: Clock;
  /** Runs between two batches, when the log was rotated: what is older is erased, what comes later is not. */
  readonly rotated?: () => void;
  /** The log has grown by a line without a submission. */
  readonly grown?: (place: Place) => Promise<void>;
}

type Lines = ReadonlyMap<string, Pick<Submission, 'id' | 'form'>>;

/** Erases the lines of a person; gives the form of each erased submission by its id. Throws where the disk has no room, or the service stops. */
export async function eraseFromLog(
  it: ErasableLog,
  person: Person,
  turns: ErasureTurns,
): Promise<ReadonlyMap<string, string>> {
  await removeRemains(it.disk, person);
  await roomFor(turns, async () => {
    if (!(await it.log.rotate())) return false;
    it.rotated?.();
    return true;
  });
  const erased = new Map<string, string>();
  for (const name of await it.log.sealedFiles())
    await it.files.alone(async () => {
      if (!(await it.disk.names()).includes(name)) return;
      const lines = await linesOf(it.disk, name, person, turns);
      if (lines.size === 0) return;
      turns.found([...lines.values()].map(({ id }) => id));
      await announce(it, [...lines.keys()], turns);
      await eraseLines(it.disk, name, (line) => {
        assertGoing(turns);
        const gone = lines.get(line.hash);
        return gone === undefined ? null : standInOf(gone);
      });
      it.files.forget(name);
      for (const { id, form } of lines.values()) erased.set(id, form);
    });
  return erased;
}

export function assertGoing(turns: ErasureTurns): void {
  if (turns.stopping()) throw new Error('the node stops: part is erased, run the command again after its start');
}

/** The person's lines in a file, by their hashes. */
async function linesOf(disk: LogDisk, name: string, person: Person, turns: ErasureTurns): Promise<Lines> {
  const found = new Map<string, Pick<Submission, 'id' | 'form'>>();
  let seen = 0;
  for await (const raw of readLines(disk, name, 0)) {
    if (++seen % limits.privacy.formSliceRows === 0) await nextTurn();
    assertGoing(turns);
    const line = openLine(raw.bytes);
    const entry = line === null ? null : entryOf(line);
    if (entry?.kind !== 'submission' || !isFrom(person, entry.submission)) continue;
    const { id, form } = entry.submission;
    found.set(line!.hash, { id, form });
  }
  return found;
}

/** The chain says what is erased, before it is. */
async function announce(it: ErasableLog, hashes: readonly string[], turns: ErasureTurns): Promise<void> {
  const { erasedLinesNamed } = limits.privacy;
  for (let from = 0; from < hashes.length; from += erasedLinesNamed) {
    const body = erasureLine(timestamp(it.clock.now()), hashes.slice(from, from + erasedLinesNamed));
    await roomFor(turns, async () => {
      const place = await appendDurably(it.log, body);
      if (place === null) return false;
      await it.grown?.(place);
      return true;
    });
  }
}

/** A task of the writer's; it says whether the disk had room. */
async function roomFor(turns: ErasureTurns, task: () => Promise<boolean>): Promise<void> {
  assertGoing(turns);
  let hadRoom = false;
  await turns.between(async () => {
    hadRoom = await task();
  });
  if (!hadRoom) throw new Error('the disk has no room for an erasure: make room, and run the command again');
}

/** Files that a crash left: a rewriting that was cut short, and torn writes that have the address. No submission of them was acknowledged. */
async function removeRemains(disk: LogDisk, { address }: Person): Promise<void> {
  for (const name of await disk.names()) {
    const isRewriting = name.endsWith('.jsonl.tmp');
    const isTorn = name.includes('.jsonl.torn-');
    if (isRewriting || (isTorn && (await holds(disk, name, address)))) await disk.remove(name);
  }
}

async function holds(disk: LogDisk, name: string, address: string): Promise<boolean> {
  const bytes = await disk.read(name, 0, await disk.size(name));
  return bytes.toString('utf8').toLowerCase().includes(address);
}
