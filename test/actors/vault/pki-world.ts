/** The authority, nodes and identities on a store in memory, with a clock that a test moves. */
import { createCipheriv, createDecipheriv, generateKeyPairSync, randomBytes } from 'node:crypto';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { SerialByKey } from '#actors/kit/serial.ts';
import { CertificateBook } from '#actors/vault/authority/certificate-book.ts';
import { JwtKeys } from '#actors/vault/authority/jwt-keys.ts';
import { ListPublisher } from '#actors/vault/authority/list-publisher.ts';
import type { PkiPorts, Place, Strongbox } from '#actors/vault/authority/ports.ts';
import { Responder } from '#actors/vault/authority/responder.ts';
import { SealedKeys } from '#actors/vault/authority/sealed-keys.ts';
import { WebTokens } from '#actors/vault/authority/web-tokens.ts';
import { JoinTokens } from '#actors/vault/node/join-token.ts';
import type { JoinPorts } from '#actors/vault/node/join.ts';
import { parseCertificateRequest, type CertificateRequest } from '#actors/vault/pki/certificate-request.ts';
import { writeCertificateRequest } from '#actors/vault/pki/new-request.ts';
import type { Change, Committed, Listed, Stored, VaultStore } from '#storage/vault/port.ts';
import { Identities } from '#actors/vault/workload/identities.ts';

/** A store without a disk. `before` runs ahead of each commit: a test lets another instance be faster, or fails it. */
export class MemoryStore implements VaultStore {
  readonly rows = new Map<string, { value: Buffer; version: number }>();
  before: (changes: readonly Change[]) => void | Promise<void> = () => {};
  commits = 0;

  async get(path: string): Promise<Stored | undefined> {
    const row = this.rows.get(path);
    return row === undefined ? undefined : { value: Buffer.from(row.value), version: row.version };
  }

  async list(prefix: string, after: string | null, limit: number): Promise<Listed[]> {
    const paths = [...this.rows.keys()].filter((path) => path.startsWith(prefix) && (after === null || path > after));
    const page = paths.sort((a, b) => (a < b ? -1 : 1)).slice(0, limit);
    return page.map((path) => ({ path, ...this.rows.get(path)! }));
  }

  async commit(changes: readonly Change[]): Promise<Committed> {
    await this.before(changes);
    const missed = changes.find(
      ({ path, expect }) => expect !== undefined && (this.rows.get(path)?.version ?? 0) !== expect,
    );
    if (missed !== undefined) return { ok: false, conflict: missed.path };
    const revision = ++this.commits;
    for (const { path, value } of changes)
      if (value === undefined) this.rows.delete(path);
      else this.rows.set(path, { value: Buffer.from(value), version: revision });
    return { ok: true, revision };
  }

  copyTo(): Promise<boolean> {
    return Promise.resolve(false);
  }

  healthy() {
    return Promise.resolve({ ok: true as const, revision: this.commits });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Envelopes with one key; sealed, it opens nothing. */
export class TestBox implements Strongbox {
  readonly #key = randomBytes(32);
  sealed = false;

  async close(place: Place, plain: Uint8Array): Promise<Buffer> {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(JSON.stringify(place)));
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  async open(place: Place, closed: Buffer): Promise<Buffer> {
    if (this.sealed) throw new Error('the vault is sealed');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, closed.subarray(0, 12));
    decipher.setAAD(Buffer.from(JSON.stringify(place))).setAuthTag(closed.subarray(-16));
    return Buffer.concat([decipher.update(closed.subarray(12, -16)), decipher.final()]);
  }
}

export interface World extends JoinPorts {
  readonly store: MemoryStore;
  readonly box: TestBox;
  readonly clock: SimulatedClock;
  readonly keys: SealedKeys;
  readonly lists: ListPublisher;
  readonly responder: Responder;
  readonly jwtKeys: JwtKeys;
  readonly jwts: WebTokens;
  readonly identities: Identities;
}

/** A new instance; on the store, box and clock of another when one is given. */
export function newWorld(other?: World): World {
  const clock = other?.clock ?? new SimulatedClock();
  const store = other?.store ?? new MemoryStore();
  const box = other?.box ?? new TestBox();
  const ids = new IdSource(clock);
  const pki: PkiPorts = {
    store,
    barrier: box,
    clock,
    random: randomBytes,
    nextId: () => ids.next(),
    assertOpen: () => {
      if (box.sealed) throw new Error('the vault is sealed');
    },
    trustDomain: 'hive.test',
    scope: { datacenter: 'dc1', cluster: 'main' },
    places: {},
  };
  const keys = new SealedKeys(pki);
  const jwtKeys = new JwtKeys(pki);
  const book = new CertificateBook(pki, keys);
  return {
    store,
    box,
    clock,
    pki,
    keys,
    book,
    lists: new ListPublisher(pki, keys, book),
    responder: new Responder(pki, keys, book),
    jwts: new WebTokens(pki, jwtKeys),
    jwtKeys,
    tokens: new JoinTokens(pki),
    turns: new SerialByKey(),
    identities: new Identities(pki, book),
  };
}

/** A request with a new key of its own. */
export function newRequest(): CertificateRequest {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const read = parseCertificateRequest(writeCertificateRequest(privateKey, 'x'));
  if (typeof read === 'string') throw new Error(read);
  return read;
}
