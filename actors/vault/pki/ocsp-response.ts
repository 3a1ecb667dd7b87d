/** OCSP responses (RFC 6960 §4.2, RFC 5019), signed by the issuer itself. Times are whole seconds. */
import { sign } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { TAG, bitString, element, explicit, generalizedTime, implicit, octetString, sequence } from './der-write.ts';
import { extension } from './extensions.ts';
import { ECDSA_ALGORITHM, type Issuer } from './issuer.ts';
import { OCSP_BASIC, oidOf } from './oids.ts';
import type { CertId, OcspRequest } from './ocsp-request.ts';
import { REASONS, type Reason } from './revocation-list.ts';

/** `unknown`: this authority never issued the serial. */
export type SerialState = 'good' | 'unknown' | { readonly revokedAtMs: number; readonly reason: Reason };

/** Answers that carry no signature. §4.2.1. */
const errorOf = (code: number): Buffer => sequence(element(TAG.enumerated, Buffer.of(code)));
export const OCSP_MALFORMED = errorOf(1);
export const OCSP_INTERNAL = errorOf(2);
export const OCSP_TRY_LATER = errorOf(3);

const GOOD = Buffer.of(implicit(0), 0);
const UNKNOWN = Buffer.of(implicit(2), 0);
const SUCCESSFUL = element(TAG.enumerated, Buffer.of(0));

export interface OcspAnswer {
  readonly der: Buffer;
  readonly thisUpdateMs: number;
  readonly nextUpdateMs: number;
}

/** Answers every serial of the request in its order; `stateOf` looks serials up by their bytes as the request writes them. */
export function answerOcsp(
  issuer: Issuer,
  request: OcspRequest,
  stateOf: (serial: Buffer) => SerialState,
  nowMs: number,
): OcspAnswer {
  const thisUpdateMs = Math.floor(nowMs / 1000) * 1000;
  const nextUpdateMs = thisUpdateMs + limits.pki.ocspMs;
  const span = Buffer.concat([generalizedTime(thisUpdateMs), element(explicit(0), generalizedTime(nextUpdateMs))]);
  const singles = request.ids.map((id) => {
    const state = isOurs(issuer, id) ? stateOf(id.serial) : 'unknown';
    return sequence(id.bytes, writeState(state), span);
  });
  const body = sequence(
    element(explicit(2), octetString(issuer.certId.sha1.key)),
    generalizedTime(thisUpdateMs),
    sequence(...singles),
    ...(request.nonce === null ? [] : [element(explicit(1), sequence(extension('ocspNonce', request.nonce)))]),
  );
  return { der: wrap(issuer, body), thisUpdateMs, nextUpdateMs };
}

function isOurs(issuer: Issuer, id: CertId): boolean {
  if (id.hash === undefined) return false;
  const own = issuer.certId[id.hash];
  return own.name.equals(id.issuerName) && own.key.equals(id.issuerKey);
}

/** CertStatus, §4.2.1: implicit tags; an unspecified reason is left out. */
function writeState(state: SerialState): Buffer {
  if (state === 'good') return GOOD;
  if (state === 'unknown') return UNKNOWN;
  const code = REASONS[state.reason];
  const reason = code === 0 ? [] : [element(explicit(0), element(TAG.enumerated, Buffer.of(code)))];
  return element(explicit(1), generalizedTime(state.revokedAtMs), ...reason);
}

function wrap(issuer: Issuer, body: Buffer): Buffer {
  const basic = sequence(body, ECDSA_ALGORITHM, bitString(sign('sha256', body, issuer.key)));
  return sequence(SUCCESSFUL, element(explicit(0), sequence(oidOf(OCSP_BASIC), octetString(basic))));
}
