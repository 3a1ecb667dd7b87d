/** What everybody may ask of the authority: `/pki/ca`, `/pki/crl`, `/pki/crl.pem`, `/pki/ocsp`. */
import type { Call } from '#actors/host/call.ts';
import { readyReply } from '#actors/host/render.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { replyText } from '#actors/protocol/route.ts';
import type { OcspReply } from '../authority/responder.ts';
import type { PkiRoom } from '../pki-room.ts';
import { OCSP_INTERNAL, OCSP_TRY_LATER } from '../pki/ocsp-response.ts';
import { toPem } from '../pki/pem.ts';
import { Sealed } from '../seal/seal.ts';
import { BackendDown } from '../store.ts';

const PEM_TYPE = 'application/x-pem-file';
const CRL_TYPE = 'application/pkix-crl';
const OCSP_TYPE = 'application/ocsp-response';

export async function showAuthority(pki: PkiRoom): Promise<Reply<200>> {
  return replyText(200, (await pki.keys.authority()).pem, PEM_TYPE);
}

/** The list as DER or PEM; a copy that the caller has is not sent again. */
export async function showList(pki: PkiRoom, call: Call, form: 'der' | 'pem'): Promise<Reply<200 | 304>> {
  const { der, number, thisUpdateMs, nextUpdateMs } = await pki.lists.current();
  const etag = `"${number}-${thisUpdateMs}-${form}"`;
  const times = cacheHeaders(pki, thisUpdateMs, nextUpdateMs, etag);
  if (isKnown(call, etag)) return { kind: 'reply', status: 304, headers: times };
  if (form === 'pem') return replyText(200, toPem('X509 CRL', der), PEM_TYPE, times);
  return { kind: 'reply', status: 200, bytes: der, type: CRL_TYPE, headers: times };
}

/** A responder that cannot answer says so in the protocol's own words (RFC 6960 §2.3), never by a status. */
export async function answerOcspPost(pki: PkiRoom, call: Call): Promise<Reply<200>> {
  const { body } = call;
  const der = typeof body === 'string' ? Buffer.from(body, 'latin1') : Buffer.from(body);
  return ocspReply(await orLater(pki.responder.answer(der)), { 'Cache-Control': 'no-store' });
}

/** What is kept leaves within its turn: nobody waits, and nothing is written twice in a second. */
export function answerOcspGet(pki: PkiRoom, call: Call): Reply<200 | 304> | Promise<Reply<200 | 304>> {
  const kept = pki.responder.kept(call.rawParam('request'));
  const isPlain = kept !== null && call.header('if-none-match') === undefined;
  return isPlain ? readyOf(pki, kept) : answerFresh(pki, call);
}

interface Ready {
  readonly second: number;
  readonly reply: Reply<200>;
}

/** Answers as they leave now: how long one may be kept changes by the second. */
const ready = new WeakMap<OcspReply, Ready>();

function readyOf(pki: PkiRoom, kept: OcspReply): Reply<200> {
  const second = Math.floor(pki.ports.clock.now() / 1000);
  const present = ready.get(kept);
  if (present?.second === second) return present.reply;
  const { thisUpdateMs, nextUpdateMs, etag } = kept.times!;
  const reply = readyReply(200, kept.der, OCSP_TYPE, cacheHeaders(pki, thisUpdateMs, nextUpdateMs, etag));
  ready.set(kept, { second, reply });
  return reply;
}

async function answerFresh(pki: PkiRoom, call: Call): Promise<Reply<200 | 304>> {
  const reply = await orLater(pki.responder.answerGet(call.param('request')));
  if (reply.times === null) return ocspReply(reply, { 'Cache-Control': 'no-store' });
  const { thisUpdateMs, nextUpdateMs, etag } = reply.times;
  const headers = cacheHeaders(pki, thisUpdateMs, nextUpdateMs, etag);
  return isKnown(call, etag) ? { kind: 'reply', status: 304, headers } : ocspReply(reply, headers);
}

const ocspReply = ({ der }: OcspReply, headers: Readonly<Record<string, string>>): Reply<200> => ({
  kind: 'reply',
  status: 200,
  bytes: der,
  type: OCSP_TYPE,
  headers,
});

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
