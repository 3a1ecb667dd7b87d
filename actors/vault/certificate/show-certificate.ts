/** Certificates as answers show them. */
import type { CertificateRecord } from '../authority/certificate-book.ts';
import type { ListedCertificate } from './certificate-shapes.ts';
import { toPem } from '../pki/pem.ts';

/** Neither a proxy nor a browser may store the answer. */
export const NO_STORE = { 'Cache-Control': 'no-store' } as const;

export function listCertificate(record: CertificateRecord, nowMs: number): ListedCertificate {
  const { serial, kind, subject, names, not_before, not_after, issued_at, issued_by } = record;
  const ended = Date.parse(not_after) <= nowMs ? 'expired' : 'valid';
  return {
    serial,
    kind,
    common_name: subject,
    ...names,
    state: record.revoked_at === undefined ? ended : 'revoked',
    not_before,
    not_after,
    issued_at,
    issued_by,
    ...(record.node !== undefined && { node_id: record.node }),
    ...(record.identity !== undefined && { identity_id: record.identity }),
    ...(record.revoked_at !== undefined && { revoked_at: record.revoked_at, reason: record.reason }),
  };
}

/** The certificate in PEM, too. */
export function showCertificate(record: CertificateRecord, nowMs: number) {
  return { ...listCertificate(record, nowMs), certificate: pemOf(record) };
}

export const pemOf = ({ certificate }: CertificateRecord): string =>
  toPem('CERTIFICATE', Buffer.from(certificate, 'base64'));
