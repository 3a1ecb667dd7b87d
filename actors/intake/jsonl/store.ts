/**
 * `backend: jsonl`: the log is the store. Keys of the last day are in memory, columns in a file beside the log. The log is the outbox as well: lines
 * behind the mark of `notified.json` that it does not name are not answered for.
 */
import { limits } from '#config/limits.ts';
import type { LogDisk } from '#storage/log/disk.ts';
import { openLog } from '#storage/log/jsonl-log.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import { noticeKey, type NoticeKind } from '#actors/protocol/notice.ts';
import type { Columns } from '../columns.ts';
import { entryOf } from '../erasure/log-entry.ts';
import { eraseFromLog } from '../erasure/store.ts';
import { RecentKeys } from '../idempotency.ts';
import { ExpiredFiles, logOptions, logPort, type LogSettings } from '../log/store.ts';
import type { IntakeStore, KindsOf, PendingNotice } from '../store-port.ts';
import { digestOf, type Accepted, type Submission } from '../submission.ts';

const COLUMNS_FILE = 'columns.json';
const NOTIFIED_FILE = 'notified.json';

/** Notices up to the id `through` are answered for, and those in `settled` behind it. */
interface Notified {
  readonly through: string;
  readonly settled: readonly string[];
}

export async function openJsonlStore(log: LogSettings, clock: Clock, kindsOf?: KindsOf): Promise<IntakeStore> {
  const keys = new RecentKeys();
  const columns = new Map(Object.entries((await readJson<Record<string, Columns>>(log.disk, COLUMNS_FILE)) ?? {}));
  const before = await readJson<Notified>(log.disk, NOTIFIED_FILE);
  const notices: PendingNotice[] = [];
  let lastId = '';
  const remember = ({ form, id, received_at, fields, idempotency_key: key }: Submission): void => {
    if (key !== '') keys.add(form, key, { id, received_at, digest: digestOf(fields) }, clock.now());
  };
  const since = timestamp(clock.now() - limits.intake.idempotencyMs).slice(0, 'YYYY-MM-DD'.length);
  const opened = await openLog(logOptions(log, clock), { since }, (line) => {
    const entry = entryOf(line);
    if (entry.kind === 'erased') lastId = entry.id;
    if (entry.kind !== 'submission') return;
    const { submission } = entry;
    lastId = submission.id;
    remember(submission);
    if (before !== null && submission.id > before.through && kindsOf !== undefined)
      notices.push(...pendingOf(submission, kindsOf, before));
  });
  const expired = new ExpiredFiles(opened, log.disk, clock);
  const mark = new Mark(log.disk, lastId, notices, kindsOf !== undefined);
  // While notices are off the mark is null, so that none of that time is sent when they are on again.
  const kept = kindsOf !== undefined || before !== null;
  if (kept) await mark.save();
  return {
    log: logPort(opened, log.answerMs),
    database: {
      commit: async (batch) => {
        for (const submission of batch) {
          remember(submission);
          mark.added(submission);
        }
      },
    },
    lastId,
    replayed: 0,
    notices,
    deliveries: [], // forms of tenants are refused (delivery/deliverable.ts)
    keepers: [],
    recordKeeper: () => undefined,
    submissions: async (of) => of.map(() => undefined),
    forgetDelivery: () => undefined,
    columns: (form) => columns.get(form),
    recordColumns: (added) => saveColumns(log.disk, columns, added),
    firstUse: (form, key) => keys.get(form, key),
    forgetNotice: (id, kind) => mark.settled(id, kind),
    expire: async (retentions) => ({ rows: 0, files: await expired.drop(retentions) }),
    erase: async (person, turns) => {
      const erased = await eraseFromLog({ log: opened, disk: log.disk, files: expired, clock }, person, turns);
      keys.forget(erased);
      return erased;
    },
    sweepKeys: () => Promise.resolve(), // a new key makes the memory forget expired ones
    hasRoom: () => true,
    copyTo: () => Promise.resolve(false),
    rotate: () => opened.rotate(),
    close: async () => {
      if (kept) await mark.save();
      await opened.close();
    },
  };
}

function pendingOf(submission: Submission, kindsOf: KindsOf, { settled }: Notified): PendingNotice[] {
  const kinds = kindsOf(submission.form).filter((kind) => !settled.includes(noticeKey({ id: submission.id, kind })));
  return kinds.map((kind) => ({ submission, kind }));
}

/** Pending notices in the order of the log, and the file with the mark. One save runs at a time; the next one has all changes since. */
class Mark {
  readonly #disk: LogDisk;
  /** Notices that are not answered for, by submission, oldest first. */
  readonly #pending = new Map<string, Set<string>>();
  /** Notices that are answered for while the same or an older submission has a pending one. */
  readonly #settled = new Set<string>();
  readonly #on: boolean;
  #last: string;
  #saving: Promise<void> = Promise.resolve();
  #waiting = false;

  constructor(disk: LogDisk, last: string, notices: readonly PendingNotice[], on: boolean) {
    this.#disk = disk;
    this.#last = last;
    this.#on = on;
    for (const { submission, kind } of notices) this.#add(submission.id, kind);
  }

  added({ id, form: _form, notices }: Accepted): void {
    this.#last = id;
    for (const kind of notices) this.#add(id, kind);
  }

  settled(id: string, kind: NoticeKind): void {
    const kinds = this.#pending.get(id);
    if (kinds?.delete(kind) !== true) return;
    if (kinds.size === 0) this.#pending.delete(id);
    this.#settled.add(noticeKey({ id, kind }));
    // A disk that fails here fails the next sync of the log too, which ends the process.
    if (!this.#waiting) this.save().catch(() => undefined);
  }

  save(): Promise<void> {
    this.#waiting = true;
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  async #write(): Promise<void> {
    this.#waiting = false;
    const [oldest] = this.#pending.keys();
    const through = oldest === undefined ? this.#last : before(oldest);
    for (const name of this.#settled) if (name.slice(0, through.length) <= through) this.#settled.delete(name);
    const state: Notified = { through, settled: [...this.#settled] };
    await this.#disk.save(NOTIFIED_FILE, Buffer.from(JSON.stringify(this.#on ? state : null)));
  }

  #add(id: string, kind: NoticeKind): void {
    const kinds = this.#pending.get(id);
    if (kinds === undefined) this.#pending.set(id, new Set([kind]));
    else kinds.add(kind);
  }
}

/** A mark below an id and above every smaller one: ids have one length and end in no character below `0`. */
function before(id: string): string {
  return `${id.slice(0, -1)}${String.fromCharCode(id.charCodeAt(id.length - 1) - 1)}`;
}

async function readJson<T>(disk: LogDisk, name: string): Promise<T | null> {
  if (!(await disk.names()).includes(name)) return null;
  const text = await disk.read(name, 0, await disk.size(name));
  return JSON.parse(text.toString()) as T | null;
}

async function saveColumns(
  disk: LogDisk,
  all: Map<string, Columns>,
  added: ReadonlyMap<string, Columns>,
): Promise<void> {
  for (const [form, columns] of added) all.set(form, { ...all.get(form), ...columns });
  await disk.save(COLUMNS_FILE, Buffer.from(JSON.stringify(Object.fromEntries(all), null, 2)));
}
