/** Stored submissions in the database of the log, for operators' verbs: read beside the node that serves, whose lines only grow at their end. */
import { limits } from '#config/limits.ts';
import { Corruption } from '#storage/fault.ts';
import type { OutcomeUnknown } from '#storage/log-engine/port.ts';
import type { Head, StoredLine } from '#storage/submissions/change.ts';
import { PostgresSubmissions } from '#storage/submissions/postgres.ts';
import { lineHash } from '#storage/submissions/sealed-lines.ts';
import { nextTurn } from '#actors/host/pace/next-turn.ts';
import { entryOf, ErasedLines } from '../../erasure/log-entry.ts';
import type { DatabaseSettings } from '../../postgres/settings/store.ts';
import { parseLine, type Submission } from '../../submission.ts';
import type { VerifyReport } from '../verify-report.ts';

const SLICE = { lines: limits.intake.databaseSliceLines, bytes: limits.intake.databaseBytesMax };

/** Every submission in the order of arrival, or those of one form. Rejects where the database does not answer. */
export async function eachInDatabase(
  settings: DatabaseSettings,
  form: string | null,
  each: (submission: Submission) => void | Promise<void>,
): Promise<void> {
  await reading(settings, async (database) => {
    for (let after = 0; ;) {
      const lines = await database.lines(after, SLICE, form);
      if (lines.length === 0) return;
      for (const { id, body } of lines) if (id !== null && body !== null) await each(parseLine(body));
      after = lines.at(-1)!.seq;
    }
  });
}

/** Walks the whole chain. Throws Corruption where a line is missing, or does not fit its hash or the line before it. */
export function readDatabase(settings: DatabaseSettings): Promise<readonly [VerifyReport, ErasedLines]> {
  return reading(settings, async (database) => {
    const walk = new Walk(await database.head());
    const through = walk.end.seq;
    while (walk.seq < through) {
      const lines = await database.lines(walk.seq, SLICE);
      // A retention may have let the oldest lines go meanwhile.
      if ((lines[0]?.seq ?? 0) !== walk.seq + 1) walk.moved(await database.head());
      for (const line of lines) if (line.seq <= through && line.seq > walk.seq) walk.take(line);
      if (lines.length === 0) walk.missing();
      await nextTurn();
    }
    walk.ended();
    return [walk.report, walk.erased] as const;
  });
}

/** The chain as it is read, line by line. */
class Walk {
  readonly end: Head;
  readonly erased = new ErasedLines();
  seq: number;
  #hash: string;
  #lines = 0;
  #expired = 0;

  constructor(head: Head) {
    this.end = head;
    this.seq = head.first - 1;
    this.#hash = head.base;
  }

  moved({ base, first }: Head): void {
    if (first <= this.seq + 1) return;
    this.seq = first - 1;
    this.#hash = base;
  }

  take({ body, bytes, form, gone, hash, id, seq }: StoredLine): void {
    if (seq !== this.seq + 1) this.missing();
    if (bytes !== null && lineHash(bytes, this.#hash) !== hash)
      throw new Corruption(
        `line ${seq} of skep_intake_line`,
        'it does not fit its hash, or does not follow the one before it',
      );
    if (body === null && gone === null) throw new Corruption(`line ${seq} of skep_intake_line`, 'its content is gone');
    this.seq = seq;
    this.#hash = hash;
    if (gone === 'erased') this.erased.add(hash, { id: id!, form: form! });
    else if (gone === 'expired') this.#expired++;
    else this.#read(body!, { id, form, seq });
  }

  #read(body: string, { id, form, seq }: Pick<StoredLine, 'id' | 'form' | 'seq'>): void {
    const entry = entryOf({ body, erased: false });
    if (entry.kind === 'erasure') return this.erased.named(entry.lines);
    if (entry.kind !== 'submission') return;
    this.#lines++;
    if (entry.submission.id !== id || entry.submission.form !== form)
      throw new Corruption(`line ${seq} of skep_intake_line`, 'its columns name another submission than its content');
  }

  missing(): never {
    throw new Corruption(`line ${this.seq + 1} of skep_intake_line`, 'it is missing');
  }

  ended(): void {
    if (this.seq === this.end.seq && this.#hash !== this.end.chain)
      throw new Corruption(`line ${this.seq} of skep_intake_line`, 'it is not the one with which the chain ends');
  }

  get report(): VerifyReport {
    return {
      lines: this.#lines,
      rows: null,
      ahead: 0,
      older: 0,
      expired: this.#expired,
      erased: this.erased.ids.size,
      torn: false,
      faults: [],
      faultCount: 0,
    };
  }
}

/** A verb does not wait for a database that is away, and claims nothing. */
async function reading<T>(settings: DatabaseSettings, run: (database: PostgresSubmissions) => Promise<T>): Promise<T> {
  const pause = (why: OutcomeUnknown): Promise<void> => Promise.reject(why);
  const database = new PostgresSubmissions({ ...settings, pause });
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}
