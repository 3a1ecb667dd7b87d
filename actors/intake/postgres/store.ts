/**
 * `backend: postgres`: submissions in the database of the log, with nothing on the machine. A batch is one statement: its lines behind the chain, its keys, what it owes to the courier and to tenants. Keys of the last day, the end of the chain
 * and columns are in memory; who else claims the store ends this one (storage/submissions/).
 */
import { limits } from '#config/limits.ts';
import { LineClosed } from '#storage/log-engine/postgres/line.ts';
import { PostgresSubmissions } from '#storage/submissions/postgres.ts';
import type { Log } from '#actors/host/activation.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import { OneForMany } from '#actors/kit/one-for-many.ts';
import { NOTICE_KINDS, type NoticeKind } from '#actors/protocol/notice.ts';
import type { Columns } from '../columns.ts';
import { RecentKeys } from '../idempotency.ts';
import type { IntakeStore, PendingDelivery, PendingNotice } from '../store-port.ts';
import { parseLine, type Submission } from '../submission.ts';
import { erasePerson } from './erase/store.ts';
import { expireLines } from './expire/store.ts';
import { TENANT_KIND } from './lines.ts';
import type { DatabaseSettings } from './settings/store.ts';
import { Turns } from './turns/store.ts';

export interface PostgresCalls {
  readonly onFatal: (error: Error) => void;
  /** What `submissionsDatabase` gave, with its connections open already; null for one that is made here. */
  readonly database: PostgresSubmissions | null;
  readonly log: Pick<Log, 'warn'> | undefined;
  /** Takes in what another backend left on this machine, before anything is read; gives how many submissions. */
  readonly bring: (turns: Turns) => Promise<number>;
}

/** The database, not connected. What it says while it does not answer goes to `log`. */
export function submissionsDatabase(
  settings: DatabaseSettings,
  clock: Clock,
  log: Pick<Log, 'warn'> | undefined,
): PostgresSubmissions {
  const told = new OneForMany(limits.intake.fullDiskLineMs);
  const pause = async (why: Error): Promise<void> => {
    if (why instanceof LineClosed) throw why;
    if (told.seen(clock.now()) !== null) log?.warn({ reason: why.message }, WAITS);
    await new Promise((resolve) => setTimeout(resolve, limits.storage.logPauseMs));
  };
  return new PostgresSubmissions({ ...settings, pause });
}

/** Takes the store from its owner, and reads what must be known at once. Rejects with OwnerLost and EngineRefused; waits while the database does not answer. */
export async function openPostgresStore(
  settings: DatabaseSettings,
  clock: Clock,
  { onFatal, database: ahead, log, bring }: PostgresCalls,
): Promise<IntakeStore> {
  const database = ahead ?? submissionsDatabase(settings, clock, log);
  try {
    const turns = new Turns(database, await database.claim(), { clock, onFatal });
    const replayed = await bring(turns);
    return await storeOver(database, turns, clock, replayed);
  } catch (error) {
    await database.close();
    throw error;
  }
}

const WAITS =
  'the database of submissions does not answer, or has no standby: submissions wait, and are answered 503 while too many do. skep cluster check says what is wrong';

async function storeOver(
  database: PostgresSubmissions,
  turns: Turns,
  clock: Clock,
  replayed: number,
): Promise<IntakeStore> {
  const keys = await keysOf(database, clock);
  const columns = new Map([...(await database.forms())].map(([form, text]) => [form, JSON.parse(text) as Columns]));
  const { deliveries, notices } = await pendingIn(database);
  turns.onAdded = ({ form, id, received_at, idempotency_key: key }, digest) => {
    if (key !== '') keys.add(form, key, { id, received_at, digest }, clock.now());
  };
  const settle = (id: string, kind: string): void => turns.later({ settled: [{ id, kind }] });
  return {
    log: null,
    database: turns,
    lastId: turns.head.lastId,
    replayed,
    notices,
    deliveries,
    keepers: await database.keepers(),
    recordKeeper: (tenant) => turns.later({ keepers: [tenant] }),
    submissions: async (of) => {
      const bodies = await database.bodies(of.map(({ id }) => id));
      return of.map(({ id }) => (bodies.has(id) ? parseLine(bodies.get(id)!) : undefined));
    },
    forgetDelivery: (_form, id) => settle(id, TENANT_KIND),
    columns: (form) => columns.get(form),
    recordColumns: async (added) => {
      const all = [...added].map(([form, more]) => [form, { ...columns.get(form), ...more }] as const);
      await turns.change({ forms: all.map(([form, one]) => [form, JSON.stringify(one)] as const) });
      for (const [form, one] of all) columns.set(form, one);
    },
    firstUse: (form, key) => keys.get(form, key),
    forgetNotice: settle,
    sweepKeys: () => Promise.resolve(), // a new key makes the memory forget expired ones
    expire: async (retentions) => ({ rows: await expireLines(database, turns, clock, retentions), files: 0 }),
    erase: async (person, erasing) => {
      const erased = await erasePerson(database, turns, clock, person, erasing);
      keys.forget(erased);
      return erased;
    },
    hasRoom: () => true,
    copyTo: () => Promise.resolve(false),
    rotate: () => Promise.resolve(true), // there are no files
    seal: () => turns.seal(),
    close: async () => {
      await turns.seal();
      await database.close();
    },
  };
}

async function keysOf(database: PostgresSubmissions, clock: Clock): Promise<RecentKeys> {
  const keys = new RecentKeys();
  const now = clock.now();
  const uses = await database.keys(now - limits.intake.idempotencyMs, limits.intake.idempotencyKeysMax);
  for (const { form, key, id, at, digest } of uses)
    keys.add(form, key, { id, received_at: timestamp(at), digest }, now);
  return keys;
}

interface Pending {
  readonly deliveries: readonly PendingDelivery[];
  readonly notices: readonly PendingNotice[];
}

/** What waits, oldest first. Contents of submissions are read for notices alone, whose number `notify.queue_depth` bounds. */
async function pendingIn(database: PostgresSubmissions): Promise<Pending> {
  const entries = await database.waiting();
  const deliveries: PendingDelivery[] = [];
  const notices: PendingNotice[] = [];
  const wanted = entries.filter(({ kind }) => kind !== TENANT_KIND);
  const found = new Map<string, Submission>();
  for (let from = 0; from < wanted.length; from += limits.intake.databaseSliceLines) {
    const ids = wanted.slice(from, from + limits.intake.databaseSliceLines).map(({ id }) => id);
    for (const [id, body] of await database.bodies(ids)) found.set(id, parseLine(body));
  }
  for (const { id, kind, form, tenant } of entries)
    if (kind === TENANT_KIND) deliveries.push({ id, form, tenant: tenant! });
    else if (found.has(id) && isKind(kind)) notices.push({ submission: found.get(id)!, kind });
  return { deliveries, notices };
}

const isKind = (kind: string): kind is NoticeKind => (NOTICE_KINDS as readonly string[]).includes(kind);
