/** What a database says of its fitness for a log: for operators, before a node relies on it. Nothing is changed but a row of one table, by itself. */
import { Session, type SessionOptions } from './session.ts';
import * as sql from './statements.ts';

export interface Survey {
  /** As `server_version_num`: 150004. */
  readonly version: number;
  readonly release: string;
  /** `synchronous_standby_names`. */
  readonly standbyNames: string;
  /** Standbys that are connected and synchronous now; null where the user may not see them. */
  readonly standbys: number | null;
  readonly isEncrypted: boolean;
  /** Whether the user may make tables: a new log, and chapters of one. */
  readonly mayCreate: boolean;
  /** Tables of the log that the user may not read and change; null where there is no log. */
  readonly refused: readonly string[] | null;
  /** Of the log, with its indexes; null where there is none. */
  readonly bytes: number | null;
}

/** A server that copies the log, as the primary sees it. */
export interface Member {
  readonly name: string;
  /** `streaming` is well; `null` where the user may not see it. */
  readonly state: string | null;
  /** `sync`: a write may wait for it; `potential`, `quorum`, `async`. */
  readonly sync: string | null;
  /** Bytes of its log that it has not flushed; null where that is not told. */
  readonly behindBytes: number | null;
}

/** So many are told of. */
const MEMBERS_MAX = 16;

interface SurveyRow {
  readonly version: string;
  readonly release: string;
  readonly names: string;
  readonly sees: boolean;
  readonly standbys: string;
  readonly ssl: boolean;
  readonly creates: boolean;
  readonly exists: boolean;
}

/** Rejects with OutcomeUnknown where no primary answers, and with EngineRefused where its settings cannot be set. */
export async function surveyOf(options: SessionOptions): Promise<Survey> {
  const session = await Session.open(options);
  try {
    const [row] = await session.read<SurveyRow>({ name: '', text: sql.SURVEY, values: [] });
    const { version, release, names, sees, standbys, ssl, creates, exists } = row!;
    const refused = exists ? await session.read<{ name: string }>({ name: '', text: sql.REFUSED, values: [] }) : null;
    const sized = exists ? await session.read<{ bytes: string }>({ name: '', text: sql.SIZE, values: [] }) : null;
    return {
      version: Number(version),
      release,
      standbyNames: names,
      standbys: sees ? Number(standbys) : null,
      isEncrypted: ssl,
      mayCreate: creates,
      refused: refused?.map(({ name }) => name) ?? null,
      bytes: sized === null ? null : Number(sized[0]!.bytes),
    };
  } finally {
    session.close();
  }
}

/** The servers that copy from this one, by name; at most MEMBERS_MAX. Rejects as `surveyOf`. */
export async function membersOf(options: SessionOptions): Promise<Member[]> {
  const session = await Session.open(options);
  try {
    const rows = await session.read<MemberRow>({ name: '', text: sql.MEMBERS, values: [MEMBERS_MAX] });
    return rows.map(({ name, state, sync, behind }) => {
      return { name, state, sync, behindBytes: behind === null ? null : Number(behind) };
    });
  } finally {
    session.close();
  }
}

interface MemberRow {
  readonly name: string;
  readonly state: string | null;
  readonly sync: string | null;
  readonly behind: string | null;
}

/** Milliseconds of each of so many changes that are acknowledged as an append is. Rejects with OutcomeUnknown where one does not count. */
export async function timeChanges(options: SessionOptions, times: number): Promise<number[]> {
  const session = await Session.open(options);
  try {
    const taken: number[] = [];
    for (let n = 0; n < times; n++) {
      const began = performance.now();
      await session.change({ name: '', text: sql.TOUCH, values: [] });
      taken.push(performance.now() - began);
    }
    return taken;
  } finally {
    session.close();
  }
}
