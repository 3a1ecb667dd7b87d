/**
 * The authority's key and certificate: made on first use, stored with the key in an envelope, opened when first needed, and forgotten when the
 * vault is sealed. The certificate is renewed at two thirds of its life for the same key and name: certificates and lists from before and after
 * verify with either, and holders of the old one have the last third to get the new one.
 */
import type { KeyObject } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { CertificateMaker, selfSign } from '../pki/certificate.ts';
import { issuerOf, type Issuer } from '../pki/issuer.ts';
import { toPem } from '../pki/pem.ts';
import { readCertificate, type CertificateFacts } from '../pki/read-certificate.ts';
import { keyPlace, makeKey, openKey } from './key-envelope.ts';
import { encodeRecord, readRecord, type Kept, type PkiPorts } from './ports.ts';

export interface CertificateAuthority {
  readonly issuer: Issuer;
  readonly maker: CertificateMaker;
  readonly der: Buffer;
  readonly pem: string;
  readonly facts: CertificateFacts;
}

interface AuthorityRecord {
  /** Envelope around PKCS #8, base64. */
  readonly key: string;
  /** DER, base64. */
  readonly certificate: string;
}

const AUTHORITY = 'pki/authority';
const PLACE = keyPlace(AUTHORITY, 1);

export class SealedKeys {
  readonly #ports: PkiPorts;
  #authority: Promise<CertificateAuthority> | null = null;
  /** Version of the record that is open. */
  #version = 0;

  constructor(ports: PkiPorts) {
    this.#ports = ports;
  }

  /** The authority, made on first use. Rejects while the vault is sealed or its backend is away. */
  async authority(): Promise<CertificateAuthority> {
    this.#assertOpen();
    this.#authority ??= this.#open().catch((error: unknown) => {
      this.#authority = null;
      throw error;
    });
    return this.#authority;
  }

  /** Renews the certificate when it is due, and loads the one that another instance has renewed. */
  async tend(): Promise<void> {
    const { facts } = await this.authority();
    const dueMs = facts.notAfterMs - (facts.notAfterMs - facts.notBeforeMs) * limits.pki.authorityRenewShare;
    if (this.#ports.clock.now() >= dueMs) return this.renew();
    const kept = await readRecord<AuthorityRecord>(this.#ports.store, AUTHORITY);
    if (kept?.version !== this.#version) this.#authority = null;
  }

  /** A certificate that begins now, for the same key and name. If another instance renewed first, its certificate counts. */
  async renew(): Promise<void> {
    await this.authority();
    const kept = (await readRecord<AuthorityRecord>(this.#ports.store, AUTHORITY))!;
    const certificate = this.#sign(await openKey(this.#ports, PLACE, kept.record.key));
    const value = encodeRecord({ ...kept.record, certificate } satisfies AuthorityRecord);
    await this.#ports.store.commit([{ path: AUTHORITY, value, expect: kept.version }]);
    this.#authority = null;
  }

  /** A sealed vault forgets its keys. */
  #assertOpen(): void {
    try {
      this.#ports.assertOpen();
    } catch (error) {
      this.#authority = null;
      throw error;
    }
  }

  async #open(): Promise<CertificateAuthority> {
    const { record, version } = await this.#record();
    const key = await openKey(this.#ports, PLACE, record.key);
    const der = Buffer.from(record.certificate, 'base64');
    const facts = readCertificate(der);
    if (typeof facts === 'string') throw new Error(facts);
    const issuer = issuerOf(key, facts.subjectName, facts.notAfterMs);
    this.#version = version;
    return {
      issuer,
      maker: new CertificateMaker(issuer, this.#ports.places),
      der,
      pem: toPem('CERTIFICATE', der),
      facts,
    };
  }

  /** The record, made where there is none. When two instances make it, one wins and both open its key. */
  async #record(): Promise<Kept<AuthorityRecord>> {
    const { store } = this.#ports;
    const kept = await readRecord<AuthorityRecord>(store, AUTHORITY);
    if (kept !== null) return kept;
    const { key, closed } = await makeKey(this.#ports, PLACE);
    const value = encodeRecord({ key: closed, certificate: this.#sign(key) } satisfies AuthorityRecord);
    await store.commit([{ path: AUTHORITY, value, expect: 0 }]);
    return (await readRecord<AuthorityRecord>(store, AUTHORITY))!;
  }

  #sign(key: KeyObject): string {
    const { clock, random, trustDomain } = this.#ports;
    const subject = { organization: 'Skep', commonName: `${trustDomain.slice(0, 40)} vault authority` };
    return selfSign(key, subject, clock.now(), limits.pki.authorityMs, random).der.toString('base64');
  }
}
