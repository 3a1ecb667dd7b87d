/**
 * What operators do with stored submissions, while the node may run: LMDB allows readers of other processes, a read-only opening changes nothing, and
 * a log only grows at its end. Spec: docs/contract/intake.md §4.3.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { limits } from '#config/limits.ts';
import { TABLES } from '#storage/catalogue.ts';
import { syncDirectory } from '#storage/directory.ts';
import { openEnvironment, type Environment, type Write } from '#storage/environment.ts';
import { openDirectory } from '#storage/log/directory.ts';
import type { Lookup } from '#storage/port.ts';
import { encodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';
import { systemClock } from '#actors/kit/clock.ts';
import type { Columns } from '../columns.ts';
import { openEmbeddedStore } from '../embedded/store.ts';
import type { ErasedLines } from '../erasure/log-entry.ts';
import { FAULTS_SHOWN, type VerifyReport } from './verify-report.ts';
import { eachInDatabase, readDatabase } from './postgres/store.ts';
import { eachSubmission } from '../log/store.ts';
import type { StoreSettings } from '../store-settings.ts';
import type { Submission } from '../submission.ts';

const submissions = new Table<Submission>('submission', TABLES.submission);
const formColumns = new Table<Columns>('form_columns', TABLES.form_columns);
const formExpired = new Table<{ readonly through: string }>('form_expired', TABLES.form_expired);
const logPlace = new Table<{ readonly id: string }>('log_place', TABLES.log_place);

/** Reads the whole log, builds a second database from it, and compares row by row. Throws Corruption for a broken chain. */
export async function verify(settings: StoreSettings): Promise<VerifyReport> {
  if (settings.backend === 'postgres') return withUnnamed(...(await readDatabase(settings.database!)));
  if (settings.backend === 'jsonl') return verifyLog(settings);
  if (!settings.walJsonl) throw new Error('there is no log to verify the database with: storage.wal_jsonl is false');
  const copy = `${settings.embeddedPath}.verify-${process.pid}`;
  const present = openEnvironment(settings.embeddedPath, { onFatal: refuse, readOnly: true });
  const built = openEnvironment(copy, { onFatal: refuse });
  const view = present.snapshot();
  try {
    const through = logPlace.get(view, 'last')?.id ?? '';
    const read = await build(built, settings.jsonlDir, through);
    return withUnnamed({ ...read, ...compare(view, built, read), erased: read.erased.ids.size }, read.erased);
  } finally {
    view.close();
    await present.close();
    await built.close();
    rmSync(copy, { recursive: true, force: true });
  }
}

/** A failed commit also rejects, and that ends these verbs. */
function refuse(): void {}

async function verifyLog({ jsonlDir }: StoreSettings): Promise<VerifyReport> {
  let lines = 0;
  const { torn, erased } = await eachSubmission(jsonlDir, () => void lines++);
  const counts = { lines, rows: null, ahead: 0, older: 0, expired: 0, erased: erased.ids.size, torn };
  return withUnnamed({ ...counts, faults: [], faultCount: 0 }, erased);
}

/** A line that is erased without an erasure in the chain was taken away by another hand. */
function withUnnamed(report: VerifyReport, { unnamed }: ErasedLines): VerifyReport {
  const more = unnamed.map((line) => `${line}: its line is erased, and no erasure in the log names it`);
  const faults = [...report.faults, ...more].slice(0, FAULTS_SHOWN);
  return { ...report, faults, faultCount: report.faultCount + more.length };
}

/** Takes the lines up to an id into a new database. */
async function build(database: Environment, dir: string, through: string) {
  let writes: Write[] = [];
  let lines = 0;
  let ahead = 0;
  let first = '';
  const { torn, erased } = await eachSubmission(dir, async (submission) => {
    lines++;
    if (first === '') first = submission.id;
    if (submission.id > through) {
      ahead++;
      return;
    }
    writes.push([submissions.key(submission.form, submission.id), encodeRecord(TABLES.submission.version, submission)]);
    if (writes.length < limits.intake.replayLinesMax) return;
    await database.commit(writes);
    writes = [];
  });
  if (writes.length > 0) await database.commit(writes);
  return { lines, ahead, torn, first, erased };
}

/** Compares both databases in the order of their keys. */
function compare(present: Lookup, built: Lookup, { first, erased }: { first: string; erased: ErasedLines }) {
  const faults: string[] = [];
  let [rows, older, expired, faultCount] = [0, 0, 0, 0];
  const say = (fault: string): void => {
    if (faultCount++ < FAULTS_SHOWN) faults.push(fault);
  };
  const onlyInLog = ({ form, id }: Submission): void => {
    if (id <= (formExpired.get(present, form)?.through ?? '')) expired++;
    else say(`${form} ${id}: only in the log`);
  };
  const others = submissions.scan(built);
  let other = next(others);
  for (const row of submissions.scan(present)) {
    rows++;
    for (; other !== null && isBefore(other, row); other = next(others)) onlyInLog(other);
    if (other !== null && other.form === row.form && other.id === row.id) {
      if (JSON.stringify(sorted(other)) !== JSON.stringify(sorted(row)))
        say(`${row.form} ${row.id}: differs from its line`);
      other = next(others);
    } else if (erased.ids.has(row.id)) say(`${row.form} ${row.id}: its line is erased, its row is not: erase again`);
    else if (first === '' || row.id < first) older++;
    else say(`${row.form} ${row.id}: only in the database`);
  }
  for (; other !== null; other = next(others)) onlyInLog(other);
  return { rows, older, expired, faults, faultCount };
}

function next(rows: Iterator<Submission>): Submission | null {
  const { value, done } = rows.next();
  return done === true ? null : value;
}

/** The order of keys: forms by their bytes, then ids. */
function isBefore(a: Submission, b: Submission): boolean {
  return a.form === b.form ? a.id < b.id : a.form < b.form;
}

function sorted({ id, form, received_at, fields, idempotency_key }: Submission): unknown {
  return [id, form, received_at, fields, idempotency_key];
}

export interface RebuildReport {
  /** Lines in the new database. */
  readonly lines: number;
  /** The path to which the old database was moved, null when there was none. */
  readonly kept: string | null;
}

/** Throws, for the operator, where there is no database beside a log. */
export function assertRebuildable(settings: StoreSettings): void {
  if (settings.backend === 'postgres')
    throw new Error(
      'there is nothing to rebuild: the lines in the database of the log are the store (storage.backend: postgres)',
    );
  if (settings.backend === 'jsonl') throw new Error('there is no database to rebuild: storage.backend is jsonl');
  if (!settings.walJsonl) throw new Error('there is no log to rebuild the database from: storage.wal_jsonl is false');
}

/**
 * Builds the database again from the log and puts it in the place of the old one, which is kept beside it. The node must not run. After a crash there
 * is the old one, the new one, or none: then the next start takes in the whole log.
 */
export async function rebuild(settings: StoreSettings, stamp: string): Promise<RebuildReport> {
  const { embeddedPath: path, jsonlDir, jsonlRotate } = settings;
  assertRebuildable(settings);
  const fresh = `${path}.rebuild`;
  rmSync(fresh, { recursive: true, force: true });
  const log = { disk: openDirectory(jsonlDir), rotate: jsonlRotate };
  const store = await openEmbeddedStore(openEnvironment(fresh, { onFatal: refuse }), log, systemClock);
  const columns = await oldColumns(path);
  if (columns.size > 0) await store.recordColumns(columns);
  await store.close();
  const kept = existsSync(path) ? `${path}.before-${stamp}` : null;
  if (kept !== null) renameSync(path, kept);
  renameSync(fresh, path);
  syncDirectory(dirname(path));
  return { lines: store.replayed, kept };
}

/** The recorded columns; unreadable ones are recorded from the forms at the next start. */
async function oldColumns(path: string): Promise<Map<string, Columns>> {
  const found = new Map<string, Columns>();
  if (!existsSync(path)) return found;
  try {
    const old = openEnvironment(path, { onFatal: refuse, readOnly: true });
    const forms = new Set(Array.from(submissions.scan(old), ({ form }) => form));
    for (const form of forms) {
      const columns = formColumns.get(old, form);
      if (columns !== undefined) found.set(form, columns);
    }
    await old.close();
  } catch {
    return found;
  }
  return found;
}

/** Every submission, or those of one form: in the order of form and id from LMDB, in order of arrival from a log without one and from a database of the log. */
export async function eachStored(
  settings: StoreSettings,
  form: string | null,
  each: (submission: Submission) => void | Promise<void>,
): Promise<void> {
  if (settings.backend === 'postgres') return eachInDatabase(settings.database!, form, each);
  if (settings.backend === 'jsonl') {
    await eachSubmission(settings.jsonlDir, (one) => (form === null || one.form === form ? each(one) : undefined));
    return;
  }
  const present = openEnvironment(settings.embeddedPath, { onFatal: refuse, readOnly: true });
  const view = present.snapshot();
  try {
    for (const submission of submissions.scan(view, form === null ? [] : [form])) await each(submission);
  } finally {
    view.close();
    await present.close();
  }
}
