/** DELETE /certificate/internal. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { CertificateRoutes } from './certificate-routes.ts';
import { revocationShape } from './certificate-shapes.ts';
import type { PkiRoom } from '../pki-room.ts';
import { fromPem } from '../pki/pem.ts';
import { readCertificate } from '../pki/read-certificate.ts';
import { parseSerial } from '../pki/serial.ts';
import { bad, readShape } from '../read-shape.ts';
import { refuse } from '../refusals.ts';

export async function revokeCertificate(
  pki: PkiRoom,
  call: Call,
): Promise<Outcome<CertificateRoutes['revokeCertificate']>> {
  const refused = await pki.keeper.allow(call, 'revoke', 'certificate/internal');
  if (refused !== null) return refused;
  const wish = readShape(call, revocationShape);
  if (isRefusal(wish)) return wish;
  const serial = await serialOf(pki, wish);
  if (isRefusal(serial)) return serial;
  const revocation = await pki.book.revoke(serial, wish.reason ?? 'unspecified');
  const outcome = revocation === null ? 'failed' : 'ok';
  const data = revocation === null ? {} : { reason: revocation.reason, again: !revocation.fresh };
  await pki.keeper.report(call, { action: 'cert.revoke', target: serial, outcome, tenant: null, data });
  if (revocation === null) return refuse('vault.certificate_not_found');
  const { revokedAt: revoked_at, reason } = revocation;
  return reply(200, { serial, state: 'revoked', revoked_at, reason });
}

/** The serial in the body, or that of the certificate in the body, when this authority issued it. */
async function serialOf(
  pki: PkiRoom,
  wish: { readonly serial?: string | undefined; readonly certificate?: string | undefined },
): Promise<string | Refusal<'vault.bad_request' | 'vault.certificate_not_found'>> {
  if (wish.serial !== undefined)
    return parseSerial(wish.serial) ?? bad('serial: write it in hexadecimal, at most 20 bytes');
  const der = fromPem(wish.certificate!, ['CERTIFICATE']);
  if (der === null) return bad('certificate: give one certificate in PEM');
  const facts = readCertificate(der);
  if (typeof facts === 'string') return bad(`certificate: ${facts}`);
  // Another issuer's certificate may have the same serial: only the exact certificate that was issued here matches.
  const record = await pki.book.read(facts.serial);
  const isOurs = record !== null && der.equals(Buffer.from(record.certificate, 'base64'));
  return isOurs ? facts.serial : refuse('vault.certificate_not_found');
}
