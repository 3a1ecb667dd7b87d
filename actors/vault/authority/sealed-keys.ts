/**
 * The authority's own keys: made once, kept in the store in envelopes, opened when first needed and forgotten when the vault is
 * sealed. A key leaves its envelope only as a `KeyObject`; the bytes in between are zeroed.
 */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { CertificateMaker, selfSign } from '../pki/certificate.ts';
import type { Issuer } from '../pki/issuer.ts';
import { issuerOf } from '../pki/issuer.ts';
import type { JwtKey } from '../pki/jwt.ts';
import { jwtKeyOf } from '../pki/jwt.ts';
import { toPem } from '../pki/pem.ts';
import { readCertificate } from '../pki/read-certificate.ts';
import type { PkiPorts, Place } from './ports.ts';
import { encodeRecord, readRecord } from './ports.ts';

export interface CertificateAuthority {
  readonly issuer: Issuer;
  readonly maker: CertificateMaker;
  readonly der: Buffer;
  readonly pem: string;
}

interface KeyRecord {
  /** Envelope around PKCS #8, base64. */
  readonly key: string;
  /** DER, base64; of the authority only. */
  readonly certificate?: string;
}

const AUTHORITY = 'pki/authority';
const JWT = 'pki/jwt';
const NODE = '_node';
const placeOf = (path: string): Place => ({ tenant: NODE, name: path, version: 1 });

export class SealedKeys {
  readonly #ports: PkiPorts;
  #authority: Promise<CertificateAuthority> | null = null;
  #jwt: Promise<JwtKey> | null = null;

  constructor(ports: PkiPorts) {
    this.#ports = ports;
  }

  /** The authority, made on first use. Rejects while the vault is sealed or its backend is away. */
  async authority(): Promise<CertificateAuthority> {
    this.#assertOpen();
    this.#authority ??= this.#openAuthority().catch((error: unknown) => {
      this.#authority = null;
      throw error;
    });
    return this.#authority;
  }

  /** The key that signs JWTs. */
  async jwt(): Promise<JwtKey> {
    this.#assertOpen();
    this.#jwt ??= this.#open(JWT, () => ({})).then(
      ({ key }) => jwtKeyOf(key),
      (error: unknown) => {
        this.#jwt = null;
        throw error;
      },
    );
    return this.#jwt;
  }

  /** A sealed vault lets go of its keys. */
  #assertOpen(): void {
    try {
      this.#ports.assertOpen();
    } catch (error) {
      this.#authority = null;
      this.#jwt = null;
      throw error;
    }
  }

  async #openAuthority(): Promise<CertificateAuthority> {
    const { clock, random, trustDomain, places } = this.#ports;
    const { key, record } = await this.#open(AUTHORITY, (made) => {
      const subject = { organization: 'Skep', commonName: `${trustDomain.slice(0, 40)} vault authority` };
      const { der } = selfSign(made, subject, clock.now(), limits.pki.authorityMs, random);
      return { certificate: der.toString('base64') };
    });
    const der = Buffer.from(record.certificate!, 'base64');
    const facts = readCertificate(der);
    if (typeof facts === 'string') throw new Error(facts);
    const issuer = issuerOf(key, facts.subjectName, facts.notAfterMs);
    return { issuer, maker: new CertificateMaker(issuer, places), der, pem: toPem('CERTIFICATE', der) };
  }

  /** The key at a path; made, with what belongs to it, where there is none. Of two makers one wins, and both open its key. */
  async #open(
    path: string,
    more: (key: KeyObject) => Pick<KeyRecord, 'certificate'>,
  ): Promise<{ key: KeyObject; record: KeyRecord }> {
    const { store, barrier } = this.#ports;
    let kept = await readRecord<KeyRecord>(store, path);
    if (kept === null) {
      await store.commit([{ path, value: encodeRecord(await this.#newKey(path, more)), expect: 0 }]);
      kept = (await readRecord<KeyRecord>(store, path))!;
    }
    const plain = await barrier.open(placeOf(path), Buffer.from(kept.record.key, 'base64'));
    try {
      return { key: createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' }), record: kept.record };
    } finally {
      plain.fill(0);
    }
  }

  async #newKey(path: string, more: (key: KeyObject) => Pick<KeyRecord, 'certificate'>): Promise<KeyRecord> {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const plain = privateKey.export({ format: 'der', type: 'pkcs8' });
    try {
      const closed = await this.#ports.barrier.close(placeOf(path), plain);
      return { key: closed.toString('base64'), ...more(privateKey) };
    } finally {
      plain.fill(0);
    }
  }
}
