/** What the verbs of certificates, tokens, nodes and workloads share in one keeper. */
import { X509Certificate } from 'node:crypto';
import { IdSource } from '#actors/kit/id.ts';
import { SerialByKey } from '#actors/kit/serial.ts';
import { CertificateBook } from './authority/certificate-book.ts';
import { JwtKeys } from './authority/jwt-keys.ts';
import { ListPublisher } from './authority/list-publisher.ts';
import type { PkiPorts } from './authority/ports.ts';
import { Responder } from './authority/responder.ts';
import { RevokedSerials } from './authority/revoked-serials.ts';
import { SealedKeys } from './authority/sealed-keys.ts';
import { WebTokens } from './authority/web-tokens.ts';
import type { Anchor } from './caller/caller.ts';
import type { Keeper } from './keeper.ts';
import { JoinTokens } from './node/join-token.ts';
import type { JoinPorts } from './node/join.ts';
import type { Places } from './pki/certificate.ts';
import { Sealed } from './seal/seal.ts';
import type { VaultStore } from './store.ts';
import { Identities } from './workload/identities.ts';

/** Roles that a certificate of this authority may give. Operators have issuers of their own. */
const ROLES = new Set(['node', 'workload'] as const);

export class PkiRoom {
  readonly keeper: Keeper;
  readonly ports: PkiPorts;
  readonly keys: SealedKeys;
  readonly book: CertificateBook;
  readonly lists: ListPublisher;
  readonly responder: Responder;
  readonly jwtKeys: JwtKeys;
  readonly jwts: WebTokens;
  readonly joining: JoinPorts;
  readonly identities: Identities;
  readonly revoked: RevokedSerials;

  constructor(keeper: Keeper, places: Places) {
    this.keeper = keeper;
    this.ports = portsOf(keeper, places);
    this.keys = new SealedKeys(this.ports);
    this.book = new CertificateBook(this.ports, this.keys);
    this.revoked = new RevokedSerials(this.book);
    this.lists = new ListPublisher(this.ports, this.keys, this.book);
    this.responder = new Responder(this.ports, this.keys, this.book);
    this.jwtKeys = new JwtKeys(this.ports);
    this.jwts = new WebTokens(this.ports, this.jwtKeys);
    const tokens = new JoinTokens(this.ports);
    this.joining = { pki: this.ports, book: this.book, tokens, turns: new SerialByKey() };
    this.identities = new Identities(this.ports, this.book);
  }

  /** Runs when the vault has its root key: trusts the authority as an issuer of callers, and makes it where there is none. */
  async anchor(): Promise<Anchor> {
    const { der } = await this.keys.authority();
    await this.revoked.catchUp();
    return {
      certificate: new X509Certificate(der),
      roles: ROLES,
      isRevoked: (serial) => this.revoked.has(serial),
    };
  }

  /**
   * Periodic work: signs a list again after two thirds of its life, loads other instances' revocations, renews keys and certificates.
   */
  async tend(): Promise<void> {
    await this.keys.tend();
    await this.jwtKeys.tend();
    if (await this.revoked.catchUp()) this.responder.forget();
    await this.lists.current();
  }
}

function portsOf(keeper: Keeper, places: Places): PkiPorts {
  const { clock, barrier, seal, settings } = keeper.parts;
  const { datacenter, cluster } = settings;
  const ids = new IdSource(clock);
  return {
    store: believable(keeper),
    barrier,
    clock,
    random: (bytes) => keeper.parts.random(bytes),
    nextId: () => ids.next(),
    assertOpen: () => {
      if (seal.state === 'sealed') throw new Sealed();
    },
    trustDomain: settings.trustDomain,
    scope: { datacenter, cluster },
    places,
  };
}

/** The store with the rollback guard: a store that was rolled back is not read, and every commit moves the mark. */
function believable(keeper: Keeper): VaultStore {
  const { store } = keeper.parts;
  return {
    get: async (path) => {
      keeper.assertBelievable();
      return store.get(path);
    },
    list: async (prefix, after, limit) => {
      keeper.assertBelievable();
      return store.list(prefix, after, limit);
    },
    commit: (changes) => keeper.write(() => store.commit(changes)),
    healthy: () => store.healthy(),
    copyTo: (directory) => store.copyTo(directory),
    close: () => store.close(),
  };
}
