/**
 * The identities of this node as the vault lists them, with their certificates and tokens, each until it expires. While the vault is unreachable,
 * existing ones stay valid; when it refuses the node, nothing is issued any more.
 */
import { X509Certificate, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { limits } from '#config/limits.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { writeCertificateRequest } from '#actors/vault/pki/new-request.ts';
import { toPem } from '#actors/vault/pki/pem.ts';
import type { Selectors } from '#actors/vault/workload/selectors.ts';
import { renewAt } from './half-life.ts';
import { pemOf } from './identity-file.ts';
import type { AgentMeter } from './meter.ts';
import type { Standing } from './standing.ts';
import { VaultAway, VaultRefused, type Badge, type VaultCalls } from './vault-calls.ts';

/** An identity as `GET /workload/identities` shows it. */
export interface Identity {
  readonly id: string;
  readonly spiffe_id: string;
  readonly selectors: Selectors;
}

export interface Svid {
  readonly spiffeId: string;
  readonly certificate: Buffer;
  /** PKCS #8, DER. */
  readonly key: Buffer;
  readonly badge: Badge;
  readonly renewAtMs: number;
  readonly untilMs: number;
}

export interface Jwt {
  readonly spiffeId: string;
  readonly token: string;
  readonly renewAtMs: number;
  readonly untilMs: number;
}

export interface JwtKeys {
  /** The document as the vault gave it. */
  readonly text: Buffer;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

export interface KeeperPorts {
  readonly calls: VaultCalls;
  /** The node's own certificate, as it is now. */
  readonly badge: () => Badge;
  /** Whether the node's own identity is valid: after it expires, nothing is issued. */
  readonly isAlive: () => boolean;
  readonly clock: Clock;
  readonly random: () => number;
  readonly meter: AgentMeter;
  readonly standing: Standing;
}

interface Kept<T> {
  readonly value: T;
  readonly atMs: number;
}

export class SvidKeeper {
  readonly #ports: KeeperPorts;
  readonly #svids = new Map<string, Promise<Svid>>();
  readonly #jwts = new Map<string, Jwt>();
  readonly #listeners = new Set<() => void>();
  #identities: readonly Identity[] | null = null;
  #crl: Kept<Buffer> | null = null;
  #jwtKeys: Kept<JwtKeys> | null = null;

  constructor(ports: KeeperPorts) {
    this.#ports = ports;
  }

  get count(): number {
    return this.#identities?.length ?? 0;
  }

  /** Identities of this node. Throws VaultAway before the first answer of the vault, or once the node's own identity has expired. */
  get identities(): readonly Identity[] {
    if (!this.#ports.isAlive()) throw new VaultAway('the identity of this node has expired');
    if (this.#identities === null) throw new VaultAway('the vault has not answered yet');
    return this.#identities;
  }

  /** Calls back when identities or the node's standing changed. Gives the function that ends this. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Requests the identities. An unreachable vault changes nothing; one that refuses the node removes them all. */
  async refresh(): Promise<void> {
    const { standing } = this.#ports;
    try {
      const path = '/workload/identities';
      const { identities } = await this.#ask<{ identities: readonly Identity[] }>('GET', path);
      standing.up();
      this.#take(identities);
    } catch (error) {
      if (error instanceof VaultRefused) {
        standing.refused(error.message);
        this.#take([]);
      } else if (error instanceof VaultAway) standing.away(error.message);
      else throw error;
    }
  }

  #take(identities: readonly Identity[]): void {
    const isSame = JSON.stringify(identities) === JSON.stringify(this.#identities);
    this.#identities = identities;
    const ids = new Set(identities.map(({ id }) => id));
    for (const id of this.#svids.keys()) if (!ids.has(id)) this.#svids.delete(id);
    for (const name of this.#jwts.keys()) if (!ids.has(name.split(' ')[0]!)) this.#jwts.delete(name);
    if (!isSame) for (const listener of this.#listeners) listener();
  }

  /** A certificate of the identity: the present one until half its life is over, or, while the vault is unreachable, until it expires. */
  async x509(identity: Identity): Promise<Svid> {
    const known = await this.#svids.get(identity.id)?.catch(() => undefined);
    if (known !== undefined && this.#ports.clock.now() < known.renewAtMs) return known;
    const fresh = this.#certify(identity);
    this.#svids.set(identity.id, fresh);
    try {
      return await fresh;
    } catch (error) {
      if (this.#svids.get(identity.id) === fresh) this.#svids.delete(identity.id);
      if (known === undefined || !(error instanceof VaultAway) || known.untilMs <= this.#ports.clock.now()) throw error;
      this.#svids.set(identity.id, Promise.resolve(known));
      return known;
    }
  }

  async #certify({ id, spiffe_id }: Identity): Promise<Svid> {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const csr = toPem('CERTIFICATE REQUEST', writeCertificateRequest(privateKey, 'workload'));
    const answer = await this.#ask<{ certificate: string }>('POST', '/workload/certificate', { identity_id: id, csr });
    const certificate = new X509Certificate(answer.certificate);
    const until = certificate.validToDate.getTime();
    this.#ports.meter.issued.x509++;
    return {
      spiffeId: spiffe_id,
      certificate: certificate.raw,
      key: privateKey.export({ format: 'der', type: 'pkcs8' }),
      badge: { cert: answer.certificate, key: pemOf(privateKey) },
      renewAtMs: renewAt(this.#ports.clock.now(), until, this.#ports.random),
      untilMs: until,
    };
  }

  /** A token of the identity for the audiences, kept as certificates are. */
  async jwt({ id, spiffe_id }: Identity, audience: readonly string[]): Promise<Jwt> {
    const name = `${id} ${JSON.stringify(audience)}`;
    const known = this.#jwts.get(name);
    const nowMs = this.#ports.clock.now();
    if (known !== undefined && nowMs < known.renewAtMs) return known;
    try {
      const path = '/workload/jwt';
      const answer = await this.#ask<{ token: string; expires_at: string }>('POST', path, {
        identity_id: id,
        audience,
      });
      const untilMs = Date.parse(answer.expires_at);
      const renewAtMs = renewAt(nowMs, untilMs, this.#ports.random);
      const jwt = { spiffeId: spiffe_id, token: answer.token, renewAtMs, untilMs };
      if (this.#jwts.size >= limits.agent.jwtsKept) this.#jwts.delete(this.#jwts.keys().next().value!);
      this.#jwts.set(name, jwt);
      this.#ports.meter.issued.jwt++;
      return jwt;
    } catch (error) {
      if (known === undefined || !(error instanceof VaultAway) || known.untilMs <= nowMs) throw error;
      return known;
    }
  }

  /** The revocation list, DER; null before the first one. */
  async crl(): Promise<Buffer | null> {
    if (this.#crl !== null && this.#isYoung(this.#crl)) return this.#crl.value;
    try {
      const { status, body } = await this.#ports.calls.send('GET', '/pki/crl', null);
      if (status === 200) this.#crl = { value: body, atMs: this.#ports.clock.now() };
    } catch (error) {
      if (!(error instanceof VaultAway)) throw error;
    }
    return this.#crl?.value ?? null;
  }

  /** The keys that verify JWT-SVIDs. Throws VaultAway before the first answer of the vault. */
  async jwtKeys(): Promise<JwtKeys> {
    if (this.#jwtKeys !== null && this.#isYoung(this.#jwtKeys)) return this.#jwtKeys.value;
    try {
      const set = await this.#ask<{ keys: (JsonWebKey & { kid: string })[] }>('GET', '/.well-known/jwks.json');
      const keys = set.keys.map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: 'jwk' })] as const);
      const value = { text: Buffer.from(JSON.stringify(set)), keys: new Map(keys) };
      this.#jwtKeys = { value, atMs: this.#ports.clock.now() };
      return value;
    } catch (error) {
      if (this.#jwtKeys === null || !(error instanceof VaultAway)) throw error;
      return this.#jwtKeys.value;
    }
  }

  #isYoung({ atMs }: Kept<unknown>): boolean {
    return this.#ports.clock.now() < atMs + limits.agent.crlMs;
  }

  #ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.#ports.calls.json<T>(method, path, this.#ports.badge(), body);
  }
}
