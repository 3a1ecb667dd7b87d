/** Public endpoints of the authority: `/pki/ca`, `/pki/crl`, `/pki/crl.pem`, `/pki/ocsp`. */
import type { Call } from '#actors/host/call.ts';
import { readyReply } from '#actors/host/render.ts';
import { reply, replyBytes, replyText, type Outcome } from '#actors/protocol/route.ts';
import type { OcspReply } from '../authority/responder.ts';
import type { CertificateRoutes } from './certificate-routes.ts';
import type { PkiRoom } from '../pki-room.ts';
import { OCSP_INTERNAL, OCSP_TRY_LATER } from '../pki/ocsp-response.ts';
import { toPem } from '../pki/pem.ts';
import { Sealed } from '../seal/seal.ts';
import { BackendDown } from '../store.ts';

const PEM_TYPE = 'application/x-pem-file';
const CRL_TYPE = 'application/pkix-crl';
const OCSP_TYPE = 'application/ocsp-response';

export async function showAuthority(pki: PkiRoom): Promise<Outcome<CertificateRoutes['authority']>> {
  return replyText(200, (await pki.keys.authority()).pem, PEM_TYPE);
}

/** The list as DER; 304 when the caller has this copy already. */
export async function showList(pki: PkiRoom, call: Call): Promise<Outcome<CertificateRoutes['revocationList']>> {
  const { der, etag, headers } = await listOf(pki, 'der');
  return isKnown(call, etag) ? reply(304, undefined, headers) : replyBytes(200, der, CRL_TYPE, headers);
}

/** The same as PEM. */
export async function showListPem(pki: PkiRoom, call: Call): Promise<Outcome<CertificateRoutes['revocationListPem']>> {
  const { der, etag, headers } = await listOf(pki, 'pem');
  return isKnown(call, etag)
    ? reply(304, undefined, headers)
    : replyText(200, toPem('X509 CRL', der), PEM_TYPE, headers);
}

async function listOf(pki: PkiRoom, form: 'der' | 'pem') {
  const { der, number, thisUpdateMs, nextUpdateMs } = await pki.lists.current();
  const etag = `"${number}-${thisUpdateMs}-${form}"`;
  return { der, etag, headers: cacheHeaders(pki, thisUpdateMs, nextUpdateMs, etag) };
}

/** A responder that cannot answer says so in an OCSP response (RFC 6960 §2.3), never by a status. */
export async function answerOcspPost(pki: PkiRoom, call: Call): Promise<Outcome<CertificateRoutes['ocsp']>> {
  const { body } = call;
  const der = typeof body === 'string' ? Buffer.from(body, 'latin1') : Buffer.from(body);
  const answer = await orLater(pki.responder.answer(der));
  return replyBytes(200, answer.der, OCSP_TYPE, { 'Cache-Control': 'no-store' });
}

type OcspAnswer = Outcome<CertificateRoutes['ocspGet']>;

/** Cached answers leave within their turn, without an await, and are rendered at most once a second. */
export function answerOcspGet(pki: PkiRoom, call: Call): OcspAnswer | Promise<OcspAnswer> {
  const kept = pki.responder.kept(call.rawParam('request'));
  const isPlain = kept !== null && call.header('if-none-match') === undefined;
  return isPlain ? readyOf(pki, kept) : answerFresh(pki, call);
}

interface Ready {
  readonly second: number;
  readonly reply: OcspAnswer;
}

/** Rendered answers: `max-age` changes every second. */
const ready = new WeakMap<OcspReply, Ready>();

function readyOf(pki: PkiRoom, kept: OcspReply): OcspAnswer {
  const second = Math.floor(pki.ports.clock.now() / 1000);
  const present = ready.get(kept);
  if (present?.second === second) return present.reply;
  const { thisUpdateMs, nextUpdateMs, etag } = kept.times!;
  const reply = readyReply(200, kept.der, OCSP_TYPE, cacheHeaders(pki, thisUpdateMs, nextUpdateMs, etag));
  ready.set(kept, { second, reply });
  return reply;
}

async function answerFresh(pki: PkiRoom, call: Call): Promise<OcspAnswer> {
  const { der, times } = await orLater(pki.responder.answerGet(call.param('request')));
  if (times === null) return replyBytes(200, der, OCSP_TYPE, { 'Cache-Control': 'no-store' });
  const { thisUpdateMs, nextUpdateMs, etag } = times;
  const headers = cacheHeaders(pki, thisUpdateMs, nextUpdateMs, etag);
  return isKnown(call, etag) ? reply(304, undefined, headers) : replyBytes(200, der, OCSP_TYPE, headers);
}

function orLater(answer: Promise<OcspReply>): Promise<OcspReply> {
  return answer.catch((error: unknown) => {
    const isPassing = error instanceof Sealed || error instanceof BackendDown;
    return { der: isPassing ? OCSP_TRY_LATER : OCSP_INTERNAL, times: null };
  });
}

/** RFC 5019 §6.2. */
function cacheHeaders(pki: PkiRoom, thisUpdateMs: number, nextUpdateMs: number, etag: string) {
  const left = Math.max(0, Math.floor((nextUpdateMs - pki.ports.clock.now()) / 1000));
  return {
    'Cache-Control': `max-age=${left}, public, no-transform, must-revalidate`,
    'Last-Modified': new Date(thisUpdateMs).toUTCString(),
    Expires: new Date(nextUpdateMs).toUTCString(),
    ETag: etag,
  };
}

function isKnown(call: Call, etag: string): boolean {
  const known = call.header('if-none-match');
  return known !== undefined && known.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}
