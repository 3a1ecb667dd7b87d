/**
 * Every certificate that was issued, and its state.
 *
 *   pki/certificate/<serial>                    the record
 *   pki/expiry/<notAfter, ms>/<serial>          finds what expires soon, and what to prune
 *   pki/revoked/<list number>/<serial>          in the order of revocation: a list grows by its new entries only
 *   pki/identity/<identity>/<notAfter>/<serial> certificates of a workload's identity
 *   pki/node/<node>/<notAfter>/<serial>         certificates of a node, and of the workloads that got theirs through it
 *   pki/list                                    the number of the newest revocation list; every revocation writes it
 */
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { Serial } from '#actors/kit/serial.ts';
import type { AltNames } from '../pki/alt-name.ts';
import type { Leaf } from '../pki/certificate.ts';
import type { NameParts } from '../pki/name.ts';
import type { Reason } from '../pki/revocation-list.ts';
import { newSerial, serialText } from '../pki/serial.ts';
import type { Change, VaultStore } from '../store.ts';
import type { CertificateKind } from './certificate-kind.ts';
import { encodeRecord, readRecord, type Kept, type PkiPorts } from './ports.ts';
import type { SealedKeys } from './sealed-keys.ts';

export interface CertificateRecord {
  readonly serial: string;
  readonly kind: CertificateKind;
  readonly subject: string;
  readonly names: AltNames;
  readonly issued_by: string;
  readonly issued_at: string;
  readonly not_before: string;
  readonly not_after: string;
  /** DER, base64. */
  readonly certificate: string;
  /** The node that holds the certificate or through which its workload got it; the identity of the workload. */
  readonly node?: string;
  readonly identity?: string;
  readonly revoked_at?: string;
  readonly reason?: Reason;
  /** Number of the first revocation list that names this certificate. */
  readonly list_number?: number;
}

export interface CertificateOrder {
  readonly kind: CertificateKind;
  readonly subject: NameParts;
  readonly names: AltNames;
  readonly spki: Buffer;
  readonly isRsa: boolean;
  readonly lifetimeMs: number;
  readonly issuedBy: string;
  readonly node?: string;
  readonly identity?: string;
}

export interface RevokedEntry {
  readonly serial: string;
  readonly at_ms: number;
  readonly reason: Reason;
}

/** The result of a revocation: `fresh` is false when the certificate had been revoked before. */
export interface Revocation {
  readonly record: CertificateRecord;
  readonly revokedAt: string;
  readonly reason: Reason;
  readonly fresh: boolean;
}

const CERTIFICATE = 'pki/certificate/';
const EXPIRY = 'pki/expiry/';
const IDENTITY = 'pki/identity/';
const NODE = 'pki/node/';
const REVOKED = 'pki/revoked/';
const LIST = 'pki/list';
const NOTHING = Buffer.alloc(0);

const digits = (value: number): string => String(value).padStart(15, '0');
/** In a path below EXPIRY, the index where the time ends and the slash before the serial stands. */
const TIME_END = EXPIRY.length + 15;
const serialIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const revokedPath = (number: number, serial: string): string => `${REVOKED}${digits(number)}/${serial}`;
/** Index paths of a certificate: under its workload's identity and under its node. */
function groupPaths(of: Pick<CertificateOrder, 'identity' | 'node'>, notAfterMs: number, serial: string): string[] {
  const end = `/${digits(notAfterMs)}/${serial}`;
  return [
    ...(of.identity === undefined ? [] : [IDENTITY + of.identity + end]),
    ...(of.node === undefined ? [] : [NODE + of.node + end]),
  ];
}
const expiryPath = (notAfterMs: number, serial: string): string => `${EXPIRY}${digits(notAfterMs)}/${serial}`;

export class CertificateBook {
  readonly #ports: PkiPorts;
  readonly #keys: SealedKeys;
  readonly #listeners: ((serial: string) => void)[] = [];
  readonly #revoking = new Serial();
  #nextPruneMs = 0;

  constructor(ports: PkiPorts, keys: SealedKeys) {
    this.#ports = ports;
    this.#keys = keys;
  }

  get #store(): VaultStore {
    return this.#ports.store;
  }

  /** Called after every revocation by this instance. */
  onRevoked(listener: (serial: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Signs and stores a certificate; it is durable when this resolves. `more` joins the same commit; null when that commit failed. */
  async issue(order: CertificateOrder, more: readonly Change[] = []): Promise<CertificateRecord | null> {
    const { record, changes } = await this.draft(order);
    const committed = await this.#store.commit([...changes, ...more]);
    return committed.ok ? record : null;
  }

  /** A signed certificate and the changes that store it, for a commit with other changes. It is valid only once that commit succeeded. */
  async draft(order: CertificateOrder): Promise<{ record: CertificateRecord; changes: Change[] }> {
    this.#pruneNowAndThen();
    const { maker } = await this.#keys.authority();
    const serial = newSerial(this.#ports.random);
    const nowMs = this.#ports.clock.now();
    const leaf = maker.make({ ...order, serial, nowMs });
    const record = recordOf(order, serialText(serial), leaf, nowMs);
    const paths = [expiryPath(leaf.notAfterMs, record.serial), ...groupPaths(order, leaf.notAfterMs, record.serial)];
    const changes: Change[] = paths.map((path) => ({ path, value: NOTHING, expect: 0 }));
    changes.push({ path: CERTIFICATE + record.serial, value: encodeRecord(record), expect: 0 });
    return { record, changes };
  }

  /** The record of a serial in our form; null for one that was never issued, or was pruned long after it expired. */
  async read(serial: string): Promise<CertificateRecord | null> {
    return (await this.#read(serial))?.record ?? null;
  }

  /** Unexpired certificates that expire before `untilMs`, the earliest first, behind a cursor from `list` itself. */
  async list(
    untilMs: number,
    after: string | null,
    limit: number,
  ): Promise<{ records: CertificateRecord[]; next: string | null }> {
    const start = after ?? `${digits(this.#ports.clock.now())}/`;
    const page = await this.#store.list(EXPIRY, EXPIRY + start, limit);
    const ending = page.filter(({ path }) => Number(path.slice(EXPIRY.length, TIME_END)) <= untilMs);
    const records = await Promise.all(ending.map(({ path }) => this.read(serialIn(path))));
    const isWhole = page.length < limit || ending.length < page.length;
    return {
      records: records.filter((record) => record !== null),
      next: isWhole ? null : page.at(-1)!.path.slice(EXPIRY.length),
    };
  }

  /** Revokes a serial; null when it was never issued. Revocations run one after another, since each takes its number in the list. */
  async revoke(serial: string, reason: Reason): Promise<Revocation | null> {
    return (await this.#inTurn([serial], reason))[0]!;
  }

  /** Revokes many serials in one commit under one list number; gives how many had not been revoked before. */
  async revokeAll(serials: readonly string[], reason: Reason): Promise<number> {
    let fresh = 0;
    for (let from = 0; from < serials.length; from += limits.pki.revokeBatchMax) {
      const done = await this.#inTurn(serials.slice(from, from + limits.pki.revokeBatchMax), reason);
      fresh += done.filter((one) => one?.fresh === true).length;
    }
    return fresh;
  }

  #inTurn(serials: readonly string[], reason: Reason): Promise<(Revocation | null)[]> {
    return this.#revoking.run(() => this.#revoke(serials, reason));
  }

  async #revoke(serials: readonly string[], reason: Reason): Promise<(Revocation | null)[]> {
    for (let tries = 0; tries < limits.pki.conflictTriesMax; tries++) {
      const kept = await Promise.all(serials.map((serial) => this.#read(serial)));
      const atMs = this.#ports.clock.now();
      const { number, change } = await this.#nextNumber();
      const more = { revoked_at: timestamp(atMs), reason, list_number: number };
      const changes: Change[] = [];
      const done = kept.map((one): Revocation | null => {
        if (one === null) return null;
        const { serial, revoked_at: revokedAt, reason: known = 'unspecified' } = one.record;
        if (revokedAt !== undefined) return { record: one.record, revokedAt, reason: known, fresh: false };
        const record: CertificateRecord = { ...one.record, ...more };
        const entry: RevokedEntry = { serial, at_ms: atMs, reason };
        changes.push({ path: CERTIFICATE + serial, value: encodeRecord(record), expect: one.version });
        changes.push({ path: revokedPath(number, serial), value: encodeRecord(entry), expect: 0 });
        return { record, revokedAt: more.revoked_at, reason, fresh: true };
      });
      if (changes.length > 0 && !(await this.#store.commit([...changes, change])).ok) continue; // another instance was faster
      for (const one of done)
        if (one?.fresh === true) for (const listener of this.#listeners) listener(one.record.serial);
      return done;
    }
    throw new Error('the revocation list could not be changed: other vaults changed it at every attempt; try again');
  }

  /** The number of the newest list. It is stored before any list is signed with it. */
  async listNumber(): Promise<number> {
    return (await readRecord<number>(this.#store, LIST))?.record ?? 0;
  }

  /** Stores the next number, for a list with the same entries. */
  async renumber(): Promise<number> {
    for (let tries = 0; tries < limits.pki.conflictTriesMax; tries++) {
      const { number, change } = await this.#nextNumber();
      if ((await this.#store.commit([change])).ok) return number;
    }
    throw new Error(
      'the number of the revocation list could not be stored: other vaults changed it at every attempt; try again',
    );
  }

  async #nextNumber(): Promise<{ number: number; change: Change }> {
    const kept = await readRecord<number>(this.#store, LIST);
    const number = (kept?.record ?? 0) + 1;
    return { number, change: { path: LIST, value: encodeRecord(number), expect: kept?.version ?? 0 } };
  }

  /** All revocations behind a cursor from `revoked` itself, in order, read page by page. */
  async *revoked(after: string | null): AsyncGenerator<{ cursor: string; entry: RevokedEntry }> {
    for (let cursor = after; ;) {
      const page = await this.#store.list(REVOKED, cursor, limits.pki.listMax);
      for (const { path, value } of page) yield { cursor: path, entry: JSON.parse(value.toString()) as RevokedEntry };
      if (page.length < limits.pki.listMax) return;
      cursor = page.at(-1)!.path;
    }
  }

  /** Serials of an identity's unexpired certificates. */
  serialsOf(identity: string): Promise<string[]> {
    return this.#serialsUnder(`${IDENTITY}${identity}/`);
  }

  /** Serials of the unexpired certificates of a node and of the workloads that got theirs through it. */
  serialsOfNode(node: string): Promise<string[]> {
    return this.#serialsUnder(`${NODE}${node}/`);
  }

  async #serialsUnder(head: string): Promise<string[]> {
    const serials: string[] = [];
    for (let after = `${head}${digits(this.#ports.clock.now())}/`; ;) {
      const page = await this.#store.list(head, after, limits.pki.listMax);
      serials.push(...page.map(({ path }) => serialIn(path)));
      if (page.length < limits.pki.listMax) return serials;
      after = page.at(-1)!.path;
    }
  }

  /** Deletes certificates that expired long ago; gives how many. A revoked one leaves the store now and the list at the next start. */
  async prune(): Promise<number> {
    const before = this.#ports.clock.now() - limits.pki.keptAfterEndMs;
    for (let gone = 0; ;) {
      const page = await this.#store.list(EXPIRY, null, limits.pki.pruneRows);
      const ended = page.filter(({ path }) => Number(path.slice(EXPIRY.length, TIME_END)) <= before);
      const changes = await Promise.all(ended.map(({ path }) => this.#goneWith(path)));
      if (ended.length > 0) await this.#store.commit(changes.flat());
      gone += ended.length;
      if (ended.length < limits.pki.pruneRows) return gone;
    }
  }

  /** Every path that stores the certificate of an expiry entry. */
  async #goneWith(path: string): Promise<Change[]> {
    const serial = serialIn(path);
    const record = await this.read(serial);
    const paths = [path, CERTIFICATE + serial];
    if (record?.list_number !== undefined) paths.push(revokedPath(record.list_number, serial));
    const notAfterMs = Number(path.slice(EXPIRY.length, TIME_END));
    if (record !== null) paths.push(...groupPaths(record, notAfterMs, serial));
    return paths.map((gone) => ({ path: gone, value: undefined }));
  }

  #pruneNowAndThen(): void {
    const now = this.#ports.clock.now();
    if (now < this.#nextPruneMs) return;
    this.#nextPruneMs = now + limits.pki.pruneMs;
    this.prune().catch(() => {}); // whatever is left is pruned next time
  }

  async #read(serial: string): Promise<Kept<CertificateRecord> | null> {
    return readRecord<CertificateRecord>(this.#store, CERTIFICATE + serial);
  }
}

function recordOf(order: CertificateOrder, serial: string, leaf: Leaf, nowMs: number): CertificateRecord {
  return {
    serial,
    kind: order.kind,
    subject: order.subject.commonName ?? '',
    names: order.names,
    issued_by: order.issuedBy,
    issued_at: timestamp(nowMs),
    not_before: timestamp(leaf.notBeforeMs),
    not_after: timestamp(leaf.notAfterMs),
    certificate: leaf.der.toString('base64'),
    ...(order.node === undefined ? {} : { node: order.node }),
    ...(order.identity === undefined ? {} : { identity: order.identity }),
  };
}
