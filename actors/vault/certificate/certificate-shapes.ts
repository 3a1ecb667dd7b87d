/** Bodies of certificates and JWTs. Source: docs/contract/vault-pki.md §1, §2, §3, §4. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { BodyOf } from '#actors/protocol/body.ts';
import { bytesShape, textShape } from '#actors/protocol/shape.ts';
import { CERTIFICATE_KINDS } from '../authority/certificate-kind.ts';
import { REASONS, type Reason } from '../pki/revocation-list.ts';

const names = z.array(z.string().min(1).max(2048)).max(limits.pki.namesMax);
const pem = z.string().min(1).max(limits.pki.requestBytesMax);
/** A duration as the contract writes it: `720h`. */
export const durationText = z.string().max(64);
const reason = z.enum(Object.keys(REASONS) as [Reason, ...Reason[]]);

export const newCertificateShape = z.strictObject({
  /** A certificate request; without one the vault makes a key, gives it once and stores it nowhere. */
  csr: pem.optional(),
  common_name: z.string().min(1).max(64).optional(),
  dns: names.optional(),
  ip: names.optional(),
  uri: names.optional(),
  ttl: durationText.optional(),
});
export type NewCertificate = z.output<typeof newCertificateShape>;

const listedCertificateShape = z.object({
  serial: z.string(),
  kind: z.enum(CERTIFICATE_KINDS),
  common_name: z.string(),
  dns: z.array(z.string()),
  ip: z.array(z.string()),
  uri: z.array(z.string()),
  state: z.enum(['valid', 'expired', 'revoked']),
  not_before: z.string(),
  not_after: z.string(),
  issued_at: z.string(),
  issued_by: z.string(),
  node_id: z.string().optional(),
  identity_id: z.string().optional(),
  revoked_at: z.string().optional(),
  reason: reason.optional(),
});

/** The certificate in PEM, too. */
export const certificateShape = listedCertificateShape.extend({ certificate: z.string(), ca: z.string() });
export const issuedCertificateShape = certificateShape.extend({ private_key: z.string().optional() });

export type ListedCertificate = BodyOf<typeof listedCertificateShape>;

export const certificatesShape = z.object({
  certificates: z.array(listedCertificateShape),
  count: z.int(),
  next: z.string().nullable(),
});

export const revocationShape = z
  .strictObject({ serial: z.string().max(128).optional(), certificate: pem.optional(), reason: reason.optional() })
  .refine(({ serial, certificate }) => (serial === undefined) !== (certificate === undefined), {
    message: 'name the serial or the certificate',
  });

export const revokedShape = z.object({
  serial: z.string(),
  state: z.literal('revoked'),
  revoked_at: z.string(),
  reason,
});

const audience = z.string().min(1).max(limits.pki.audienceCharsMax);

export const newJwtShape = z.strictObject({
  audience,
  ttl: durationText.optional(),
  claims: z.record(z.string(), z.unknown()).optional(),
});

export const issuedJwtShape = z.object({
  token: z.string(),
  token_type: z.literal('JWT'),
  subject: z.string(),
  expires_in: z.int(),
  expires_at: z.string(),
});

export const rotateJwtShape = z.strictObject({
  /** Revokes by a key that may have been stolen. */
  drop_previous: z.boolean().default(false),
});

export const rotatedJwtShape = z.object({
  kid: z.string(),
  /** Newest first; a key whose time has not come is published but does not sign. */
  keys: z.array(z.object({ kid: z.string(), signs_from: z.string() })),
});

export const renewedAuthorityShape = z.object({ serial: z.string(), not_after: z.string(), certificate: z.string() });

export const verifyJwtShape = z.strictObject({
  token: z.string().min(1).max(limits.pki.jwtBytesMax),
  audience: audience.optional(),
});

export const verifiedJwtShape = z.object({
  valid: z.boolean(),
  claims: z.record(z.string(), z.unknown()).optional(),
  reason: z.enum(['malformed', 'unknown_key', 'signature', 'expired', 'not_yet', 'audience']).optional(),
});

export const keySetShape = z.object({
  keys: z.array(
    z.object({
      kty: z.literal('EC'),
      crv: z.literal('P-256'),
      x: z.string(),
      y: z.string(),
      kid: z.string(),
      alg: z.literal('ES256'),
      use: z.literal('sig'),
    }),
  ),
});

export const pemShape = textShape('application/x-pem-file');
export const crlShape = bytesShape('application/pkix-crl');
export const ocspShape = bytesShape('application/ocsp-response');
