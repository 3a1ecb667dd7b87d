/**
 * Erases one person's submissions in the database: a slice of a form's lines at a time. The line of the chain that names what is erased, and the erasure, are one change. What comes meanwhile is left alone.
 */
import { limits } from '#config/limits.ts';
import type { StoredLine } from '#storage/submissions/change.ts';
import type { PostgresSubmissions } from '#storage/submissions/postgres.ts';
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import { erasureLine } from '../../erasure/log-entry.ts';
import { isFrom, type Person } from '../../erasure/person.ts';
import { assertGoing } from '../../erasure/store.ts';
import type { ErasureTurns } from '../../store-port.ts';
import { parseLine } from '../../submission.ts';
import type { Turns } from '../turns/store.ts';

/** Gives the form of each erased submission by its id. Throws where the service stops: the same erasure again does the rest. */
export async function erasePerson(
  database: Pick<PostgresSubmissions, 'lines'>,
  turns: Turns,
  clock: Clock,
  person: Person,
  erasing: ErasureTurns,
): Promise<ReadonlyMap<string, string>> {
  assertGoing(erasing);
  let through = 0;
  await erasing.between(async () => {
    await turns.flush(); // a batch may be under way
    through = turns.head.seq;
  });
  const erased = new Map<string, string>();
  const slice = { lines: limits.privacy.formSliceRows, bytes: limits.intake.databaseBytesMax };
  for (const form of person.fields.keys())
    for (let after = 0; ;) {
      assertGoing(erasing);
      const lines = await database.lines(after, slice, form);
      const own = lines.filter((line) => line.seq <= through && isFrom(person, parseLine(line.body!)));
      if (own.length > 0) {
        erasing.found(own.map(({ id }) => id!));
        await turns.change({ gone: { why: 'erased', seqs: own.map(({ seq }) => seq) } }, erasuresOf(own, clock));
      }
      for (const { id } of own) erased.set(id!, form);
      after = lines.at(-1)?.seq ?? through;
      if (after >= through) break;
      await nextTurn();
    }
  return erased;
}

function erasuresOf(lines: readonly StoredLine[], clock: Clock) {
  const at = clock.now();
  const { erasedLinesNamed } = limits.privacy;
  const named: string[] = [];
  for (let from = 0; from < lines.length; from += erasedLinesNamed) {
    const hashes = lines.slice(from, from + erasedLinesNamed).map(({ hash }) => hash);
    named.push(erasureLine(timestamp(at), hashes));
  }
  return named.map((body) => ({ id: null, form: null, at, key: null, digest: null, body }));
}
