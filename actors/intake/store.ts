/**
 * Where submissions lie: the JSONL log and LMDB (`backend: embedded`), either alone (`wal_jsonl: false`, `backend: jsonl`).
 * The only file of the room that touches the archive. Tables: storage/catalogue.ts 60–63.
 */
import { limits } from '#config/limits.ts';
import { TABLES } from '#storage/catalogue.ts';
import { openEnvironment } from '#storage/environment.ts';
import type { Environment, Write } from '#storage/environment.ts';
import type { LogDisk } from '#storage/log/disk.ts';
import { openDirectory } from '#storage/log/directory.ts';
import { openLog } from '#storage/log/jsonl-log.ts';
import type { JsonlLog, LogOptions } from '#storage/log/jsonl-log.ts';
import type { Place } from '#storage/log/read-back.ts';
import { encodeRecord } from '#storage/record.ts';
import { Space } from '#storage/space.ts';
import { Table } from '#storage/table.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Columns } from './columns.ts';
import { RecentKeys } from './idempotency.ts';
import type { FirstUse } from './idempotency.ts';
import { digestOf, lineOf, parseLine } from './submission.ts';
import type { Submission } from './submission.ts';
import type { DatabasePort, LogPort } from './writer.ts';

/** First part of the log files' names. */
const STEM = 'submissions';
const COLUMNS_FILE = 'columns.json';

export interface IntakeStore {
  readonly log: LogPort<Submission, Place> | null;
  readonly database: DatabasePort<Submission, Place>;
  /** The newest id that was stored before the start, '' when none was. */
  readonly lastId: string;
  /** Lines that the log was ahead of the database when it was opened. */
  readonly replayed: number;
  columns(form: string): Columns | undefined;
  /** Records columns of forms, in addition to those that they have. Resolves when durable. */
  recordColumns(columns: ReadonlyMap<string, Columns>): Promise<void>;
  firstUse(form: string, key: string): FirstUse | undefined;
  /** False while free space is below the watermark (limits.storage.freeBytesMin). */
  readonly hasRoom: () => boolean;
  /** Starts a new log file; between two batches only. False when the disk is full. */
  rotate(): Promise<boolean>;
  close(): Promise<void>;
}

export interface StoreSettings {
  readonly backend: 'embedded' | 'jsonl';
  readonly walJsonl: boolean;
  /** `embedded.path`: the directory of the LMDB environment. */
  readonly embeddedPath: string;
  readonly jsonlDir: string;
  readonly jsonlRotate: 'daily' | 'none';
}

/** What the store needs of an LMDB environment. */
export type Database = Pick<Environment, 'get' | 'range' | 'commit' | 'close'>;

/** Opens the store's files, and watches the free space under them. Throws Corruption when the log is damaged before its end, or behind the database. */
export async function openStore(
  settings: StoreSettings,
  clock: Clock,
  onFatal: (error: Error) => void,
): Promise<IntakeStore> {
  const store = await openFiles(settings, clock, onFatal);
  const spaces = pathsOf(settings).map((path) => new Space(path));
  await Promise.all(spaces.map((space) => space.check()));
  return {
    ...store,
    hasRoom: () => spaces.every((space) => space.hasRoom),
    close: () => {
      for (const space of spaces) space.close();
      return store.close();
    },
  };
}

function pathsOf({ backend, walJsonl, embeddedPath, jsonlDir }: StoreSettings): string[] {
  if (backend === 'jsonl') return [jsonlDir];
  return walJsonl ? [embeddedPath, jsonlDir] : [embeddedPath];
}

async function openFiles(settings: StoreSettings, clock: Clock, onFatal: (error: Error) => void): Promise<IntakeStore> {
  const disk = settings.backend === 'jsonl' || settings.walJsonl ? openDirectory(settings.jsonlDir) : null;
  const log = disk === null ? null : { disk, rotate: settings.jsonlRotate };
  if (settings.backend === 'jsonl') return openJsonlStore(log!, clock);
  const database = openEnvironment(settings.embeddedPath, { onFatal });
  try {
    return await openEmbeddedStore(database, log, clock);
  } catch (error) {
    await database.close();
    throw error;
  }
}

export interface LogSettings {
  readonly disk: LogDisk;
  readonly rotate: 'daily' | 'none';
}

function logOptions(log: LogSettings, clock: Clock): LogOptions {
  return { ...log, stem: STEM, now: () => clock.now() };
}

function logPort(log: JsonlLog): LogPort<Submission, Place> {
  return { append: (batch) => log.append(batch.map(lineOf)), sync: () => log.sync() };
}

/** How far the database is: the newest id, and its line's end in the log (null as long as there was none). */
interface LogPlace {
  readonly id: string;
  readonly place: Place | null;
}

const submissions = new Table<Submission>('submission', TABLES.submission);
const formColumns = new Table<Columns>('form_columns', TABLES.form_columns);
const firstUses = new Table<FirstUse>('submission_key', TABLES.submission_key);
const logPlace = new Table<LogPlace>('log_place', TABLES.log_place);

/** `backend: embedded`, with the log or (null) without it. Lines that the database lacks are taken in from the log. */
export async function openEmbeddedStore(
  database: Database,
  log: LogSettings | null,
  clock: Clock,
): Promise<IntakeStore> {
  const port = new DatabaseCommits(database);
  const replay = new Replay(port);
  const opened =
    log === null
      ? null
      : await openLog(logOptions(log, clock), { place: port.place }, (line) => replay.add(line.body, line.place));
  await replay.flush();
  return {
    log: opened === null ? null : logPort(opened),
    database: port,
    lastId: port.lastId,
    replayed: replay.lines,
    columns: (form) => formColumns.get(database, form),
    recordColumns: (columns) => database.commit(columnWrites(database, columns)),
    firstUse: (form, key) => firstUses.get(database, form, key),
    hasRoom: () => true,
    rotate: async () => opened === null || opened.rotate(),
    close: async () => {
      await opened?.close();
      await database.close();
    },
  };
}

class DatabaseCommits implements DatabasePort<Submission, Place> {
  readonly #database: Database;
  #last: LogPlace;

  constructor(database: Database) {
    this.#database = database;
    this.#last = logPlace.get(database, 'last') ?? { id: '', place: null };
  }

  get place(): Place | null {
    return this.#last.place;
  }

  get lastId(): string {
    return this.#last.id;
  }

  /** The batch, what finds it by idempotency key, and the log's place, in one commit. */
  commit(batch: readonly Submission[], place: Place | null): Promise<void> {
    const writes: Write[] = [];
    for (const submission of batch) addWrites(writes, submission);
    this.#last = { id: batch.at(-1)!.id, place: place ?? this.#last.place };
    writes.push([logPlace.key('last'), encodeRecord(TABLES.log_place.version, this.#last)]);
    return this.#database.commit(writes);
  }
}

function addWrites(writes: Write[], submission: Submission): void {
  const { form, id, received_at, idempotency_key: key } = submission;
  writes.push([submissions.key(form, id), encodeRecord(TABLES.submission.version, submission)]);
  if (key === '') return;
  const use: FirstUse = { id, received_at, digest: digestOf(submission.fields) };
  writes.push([firstUses.key(form, key), encodeRecord(TABLES.submission_key.version, use)]);
}

/** Takes lines of the log into the database, in groups. */
class Replay {
  readonly #port: DatabasePort<Submission, Place>;
  #group: Submission[] = [];
  #place: Place | null = null;
  lines = 0;

  constructor(port: DatabasePort<Submission, Place>) {
    this.#port = port;
  }

  async add(body: string, place: Place): Promise<void> {
    this.#group.push(parseLine(body));
    this.#place = place;
    this.lines++;
    if (this.#group.length >= limits.intake.replayLinesMax) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#group.length === 0) return;
    await this.#port.commit(this.#group, this.#place);
    this.#group = [];
  }
}

function columnWrites(database: Database, columns: ReadonlyMap<string, Columns>): Write[] {
  return [...columns].map(([form, added]) => {
    const all = { ...formColumns.get(database, form), ...added };
    return [formColumns.key(form), encodeRecord(TABLES.form_columns.version, all)];
  });
}

/** `backend: jsonl`: the log is the store. Keys of the last day live in memory, columns in a file beside the log. */
export async function openJsonlStore(log: LogSettings, clock: Clock): Promise<IntakeStore> {
  const keys = new RecentKeys();
  const columns = await readColumns(log.disk);
  let lastId = '';
  const remember = (submission: Submission): void => {
    const { form, id, received_at, fields, idempotency_key: key } = submission;
    if (key !== '') keys.add(form, key, { id, received_at, digest: digestOf(fields) }, clock.now());
  };
  const since = timestamp(clock.now() - limits.intake.idempotencyMs).slice(0, 'YYYY-MM-DD'.length);
  const opened = await openLog(logOptions(log, clock), { since }, (line) => {
    const submission = parseLine(line.body);
    lastId = submission.id;
    remember(submission);
  });
  return {
    log: logPort(opened),
    database: { commit: async (batch) => batch.forEach(remember) },
    lastId,
    replayed: 0,
    columns: (form) => columns.get(form),
    recordColumns: (added) => saveColumns(log.disk, columns, added),
    firstUse: (form, key) => keys.get(form, key),
    hasRoom: () => true,
    rotate: () => opened.rotate(),
    close: () => opened.close(),
  };
}

async function readColumns(disk: LogDisk): Promise<Map<string, Columns>> {
  if (!(await disk.names()).includes(COLUMNS_FILE)) return new Map();
  const text = await disk.read(COLUMNS_FILE, 0, await disk.size(COLUMNS_FILE));
  return new Map(Object.entries(JSON.parse(text.toString()) as Record<string, Columns>));
}

async function saveColumns(
  disk: LogDisk,
  all: Map<string, Columns>,
  added: ReadonlyMap<string, Columns>,
): Promise<void> {
  for (const [form, columns] of added) all.set(form, { ...all.get(form), ...columns });
  await disk.save(COLUMNS_FILE, Buffer.from(JSON.stringify(Object.fromEntries(all), null, 2)));
}
