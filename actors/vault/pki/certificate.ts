/** Certificates (RFC 5280 §4.1), version 3, signed by a P-256 issuer. */
import { randomBytes, type KeyObject } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { nameCount, type AltNames } from './alt-name.ts';
import { element, explicit, sequence, time, unsigned } from './der-write.ts';
import {
  CA_CONSTRAINTS,
  LEAF_CONSTRAINTS,
  TLS_BOTH,
  distributionPoint,
  keyUsage,
  ocspAccess,
  subjectAltName,
  subjectKeyId,
} from './extensions.ts';
import { ECDSA_ALGORITHM, issuerOf, signed, type Issuer } from './issuer.ts';
import { writeName, type NameParts } from './name.ts';
import { keyId } from './public-key.ts';
import { newSerial } from './serial.ts';

/** Where verifiers find lists, the responder and the issuer; an unconfigured place is left out. */
export interface Places {
  readonly crlUrl?: string | undefined;
  readonly ocspUrl?: string | undefined;
}

export interface LeafOrder {
  readonly serial: Buffer;
  readonly subject: NameParts;
  readonly names: AltNames;
  /** SubjectPublicKeyInfo of the holder, and whether it is an RSA key, to which TLS 1.2 may encrypt. */
  readonly spki: Buffer;
  readonly isRsa: boolean;
  readonly nowMs: number;
  readonly lifetimeMs: number;
}

export interface Leaf {
  readonly der: Buffer;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

const VERSION_3 = element(explicit(0), Buffer.of(0x02, 1, 2));
const SIGNS = keyUsage('digitalSignature');
const SIGNS_AND_WRAPS = keyUsage('digitalSignature', 'keyEncipherment');
const SIGNS_CERTIFICATES = keyUsage('keyCertSign', 'cRLSign', 'digitalSignature');

/** Makes certificates of one issuer; the parts that all share are encoded once. */
export class CertificateMaker {
  readonly #issuer: Issuer;
  readonly #shared: Buffer;

  constructor(issuer: Issuer, { crlUrl, ocspUrl }: Places) {
    this.#issuer = issuer;
    this.#shared = Buffer.concat([
      LEAF_CONSTRAINTS,
      TLS_BOTH,
      issuer.authorityKeyId,
      ...(crlUrl === undefined ? [] : [distributionPoint(crlUrl)]),
      ...(ocspUrl === undefined ? [] : [ocspAccess(ocspUrl)]),
    ]);
  }

  /** A certificate of an end entity: valid from a minute ago (clocks differ) and never longer than its issuer's. */
  make(order: LeafOrder): Leaf {
    const notBeforeMs = wholeSecond(order.nowMs - limits.pki.backdateMs);
    const notAfterMs = wholeSecond(Math.min(order.nowMs + order.lifetimeMs, this.#issuer.notAfterMs));
    const der = signed(this.#issuer.key, this.#body(order, notBeforeMs, notAfterMs));
    return { der, notBeforeMs, notAfterMs };
  }

  #body({ serial, subject, names, spki, isRsa }: LeafOrder, notBeforeMs: number, notAfterMs: number): Buffer {
    const name = writeName(subject);
    const extensions = sequence(
      isRsa ? SIGNS_AND_WRAPS : SIGNS,
      this.#shared,
      subjectKeyId(keyId(spki)),
      ...(nameCount(names) === 0 ? [] : [subjectAltName(names, name.length === EMPTY_NAME_BYTES)]),
    );
    return sequence(
      VERSION_3,
      unsigned(serial),
      ECDSA_ALGORITHM,
      this.#issuer.name,
      sequence(time(notBeforeMs), time(notAfterMs)),
      name,
      spki,
      element(explicit(3), extensions),
    );
  }
}

const EMPTY_NAME_BYTES = 2;

const wholeSecond = (ms: number): number => Math.floor(ms / 1000) * 1000;

/** A self-signed authority of `key`: the issuer, and its certificate in DER. */
export function selfSign(
  key: KeyObject,
  subject: NameParts,
  nowMs: number,
  lifetimeMs: number,
  random: (bytes: number) => Buffer = randomBytes,
): { issuer: Issuer; der: Buffer } {
  const name = writeName(subject);
  const notAfterMs = wholeSecond(nowMs + lifetimeMs);
  const issuer = issuerOf(key, name, notAfterMs);
  const extensions = sequence(CA_CONSTRAINTS, SIGNS_CERTIFICATES, subjectKeyId(issuer.keyId), issuer.authorityKeyId);
  const body = sequence(
    VERSION_3,
    unsigned(newSerial(random)),
    ECDSA_ALGORITHM,
    name,
    sequence(time(wholeSecond(nowMs - limits.pki.backdateMs)), time(notAfterMs)),
    name,
    issuer.spki,
    element(explicit(3), extensions),
  );
  return { issuer, der: signed(key, body) };
}
