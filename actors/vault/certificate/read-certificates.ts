/** GET /certificate/internal and /certificate/internal/{serial}. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { CertificateRoutes } from './certificate-routes.ts';
import type { PkiRoom } from '../pki-room.ts';
import { parseSerial } from '../pki/serial.ts';
import { bad, pageOf, wholeOf } from '../read-shape.ts';
import { refuse } from '../refusals.ts';
import { listCertificate, showCertificate } from './show-certificate.ts';

const PATH = 'certificate/internal';
const DAY_MS = 86_400_000;
const DAYS_MAX = 36_500;

export async function listCertificates(
  pki: PkiRoom,
  call: Call,
): Promise<Outcome<CertificateRoutes['listCertificates']>> {
  const refused = await pki.keeper.allow(call, 'list', PATH);
  if (refused !== null) return refused;
  const page = pageOf(call);
  if (isRefusal(page)) return page;
  const days = wholeOf(call, 'days', DAYS_MAX, 0, DAYS_MAX);
  if (isRefusal(days)) return days;
  const nowMs = pki.ports.clock.now();
  const { records, next } = await pki.book.list(nowMs + days * DAY_MS, page.after, page.limit);
  const certificates = records.map((record) => listCertificate(record, nowMs));
  return reply(200, { certificates, count: certificates.length, next });
}

export async function readCertificateVerb(
  pki: PkiRoom,
  call: Call,
): Promise<Outcome<CertificateRoutes['readCertificate']>> {
  const refused = await pki.keeper.allow(call, 'read', PATH);
  if (refused !== null) return refused;
  const serial = parseSerial(call.param('serial'));
  if (serial === null) return bad('serial: write it in hexadecimal, at most 20 bytes');
  const record = await pki.book.read(serial);
  const outcome = record === null ? 'failed' : 'ok';
  await pki.keeper.report(call, { action: 'cert.retrieve', target: serial, outcome, tenant: null });
  if (record === null) return refuse('vault.certificate_not_found');
  const { pem } = await pki.keys.authority();
  return reply(200, { ...showCertificate(record, pki.ports.clock.now()), ca: pem });
}
