/** Identities of workloads: a SPIFFE ID bound to selectors under a parent, which is one node, or all nodes of a scope. */
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { CertificateBook, CertificateRecord } from '../authority/certificate-book.ts';
import { encodeRecord, readRecord, type PkiPorts, type Scope } from '../authority/ports.ts';
import { sameScope } from '../node/join-token.ts';
import type { NodeRecord } from '../node/node-record.ts';
import { NO_NAMES } from '../pki/alt-name.ts';
import type { CertificateRequest } from '../pki/certificate-request.ts';
import { SELECTORS, type Selectors } from './selectors.ts';

export interface IdentityRecord {
  readonly id: string;
  readonly spiffe_id: string;
  readonly selectors: Selectors;
  /** The scope in which it is valid; records from before this field belong to the vault's scope. */
  readonly scope?: Scope;
  /** The name of the only node that may issue it; null for any node of the scope. */
  readonly node: string | null;
  /** How long its certificates live. */
  readonly ttl_ms: number;
  readonly created_at: string;
  readonly created_by: string;
}

export type NewIdentity = Pick<IdentityRecord, 'spiffe_id' | 'selectors' | 'node' | 'ttl_ms'>;
type Placed = Pick<NodeRecord, 'name' | 'scope'>;

const PATH = 'identity/';

export class Identities {
  readonly #ports: PkiPorts;
  readonly #book: CertificateBook;

  constructor(ports: PkiPorts, book: CertificateBook) {
    this.#ports = ports;
    this.#book = book;
  }

  /**
   * Registers an identity; a repetition gives the existing identity, so that a retry after a lost reply makes no second one. Null when there are
   * too many.
   */
  async register(order: NewIdentity, by: string): Promise<{ record: IdentityRecord; fresh: boolean } | null> {
    const known = await this.all();
    const same = known.find((one) => isSame(one, order));
    if (same !== undefined) return { record: same, fresh: false };
    if (known.length >= limits.workload.identitiesMax) return null;
    const { nextId, clock, store } = this.#ports;
    const record: IdentityRecord = {
      id: nextId(),
      ...order,
      scope: this.#ports.scope,
      created_at: timestamp(clock.now()),
      created_by: by,
    };
    await store.commit([{ path: PATH + record.id, value: encodeRecord(record), expect: 0 }]);
    return { record, fresh: true };
  }

  async read(id: string): Promise<IdentityRecord | null> {
    return (await readRecord<IdentityRecord>(this.#ports.store, PATH + id))?.record ?? null;
  }

  /** Identities in the order of their registration, behind an id. */
  async list(after: string | null, limit: number): Promise<IdentityRecord[]> {
    const page = await this.#ports.store.list(PATH, after === null ? null : PATH + after, limit);
    return page.map(({ value }) => JSON.parse(value.toString('utf8')) as IdentityRecord);
  }

  async all(): Promise<IdentityRecord[]> {
    return this.list(null, limits.workload.identitiesMax);
  }

  /** The identities that a node may issue. */
  async ofNode(node: Placed): Promise<IdentityRecord[]> {
    return (await this.all()).filter((identity) => this.isOf(identity, node));
  }

  /** Whether the node is the identity's parent, or belongs to the parent scope. */
  isOf({ scope, node }: IdentityRecord, { name, scope: there }: Placed): boolean {
    return sameScope(scope ?? this.#ports.scope, there) && (node === null || node === name);
  }

  /** Removes an identity and revokes its unexpired certificates; null when there is none. */
  async revoke(id: string): Promise<{ record: IdentityRecord; revoked: number } | null> {
    const record = await this.read(id);
    if (record === null) return null;
    // Certificates first: a retry after an interruption still finds the identity and continues.
    const revoked = await this.#book.revokeAll(await this.#book.serialsOf(id), 'privilegeWithdrawn');
    await this.#ports.store.commit([{ path: PATH + id, value: undefined }]);
    await this.#book.revokeAll(await this.#book.serialsOf(id), 'privilegeWithdrawn');
    return { record, revoked };
  }

  /** An X.509-SVID (SPIFFE, "X.509-SVID" §4): its only URI is the SPIFFE ID. Null when the identity was removed meanwhile. */
  async certify(
    identity: IdentityRecord,
    request: CertificateRequest,
    node: { readonly id: string; readonly spiffeId: string },
  ): Promise<CertificateRecord | null> {
    const { record, changes } = await this.#book.draft({
      kind: 'workload',
      subject: { organization: 'Skep', organizationalUnit: 'workload' },
      names: { ...NO_NAMES, uri: [identity.spiffe_id] },
      spki: request.spki,
      isRsa: request.key.asymmetricKeyType === 'rsa',
      lifetimeMs: identity.ttl_ms,
      issuedBy: node.spiffeId,
      node: node.id,
      identity: identity.id,
    });
    if (!(await this.#ports.store.commit(changes)).ok) throw new Error('a serial was given out twice');
    // `revoke` looks for certificates after it removed the identity; a certificate that was issued later is revoked here.
    if ((await this.read(identity.id)) !== null) return record;
    await this.#book.revoke(record.serial, 'privilegeWithdrawn');
    return null;
  }
}

function isSame(one: IdentityRecord, order: NewIdentity): boolean {
  const parts = ({ spiffe_id, selectors, node, ttl_ms }: NewIdentity): string =>
    JSON.stringify([spiffe_id, SELECTORS.map((name) => selectors[name] ?? null), node, ttl_ms]);
  return parts(one) === parts(order);
}
