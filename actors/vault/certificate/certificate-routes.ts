/** Routes of certificates, their revocation, and JWTs. Source: docs/contract/vault-pki.md §1, §2, §3, §4. */
import { anyone } from '#actors/protocol/callers.ts';
import { limits } from '#config/limits.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import * as shapes from './certificate-shapes.ts';
import type { refusals } from '../refusals.ts';
import { COMMON, STORE_FAULTS, of, post, probe, read } from '../row-kit.ts';

const CONDITIONAL = ['if-none-match'] as const;

export const certificateRoutes = defineRoutes<typeof refusals>()({
  issueCertificate: {
    ...post,
    path: '/certificate/internal',
    request: shapes.newCertificateShape,
    replies: { 201: shapes.issuedCertificateShape },
    refusals: COMMON,
    summary: 'Issue a service certificate, for a request (`csr`), or with a new key that is given only in this answer.',
  },
  listCertificates: {
    ...read,
    path: '/certificate/internal',
    replies: { 200: shapes.certificatesShape },
    refusals: COMMON,
    summary:
      'Unexpired certificates, the first to expire first; `?days=N`: those that expire within N days; `after`, `limit`.',
  },
  readCertificate: {
    ...read,
    path: '/certificate/internal/{serial}',
    replies: { 200: shapes.certificateShape },
    refusals: [...COMMON, 'vault.certificate_not_found'],
    summary: 'One certificate and its state.',
  },
  revokeCertificate: {
    ...post,
    methods: ['DELETE'],
    path: '/certificate/internal',
    request: shapes.revocationShape,
    replies: { 200: shapes.revokedShape },
    refusals: [...COMMON, 'vault.certificate_not_found'],
    summary: 'Revoke a certificate for good; a repetition gives the answer of the first call.',
  },
  authority: {
    ...probe,
    path: '/pki/ca',
    plain: true,
    replies: { 200: shapes.pemShape },
    refusals: STORE_FAULTS,
    summary: 'The certificate of the authority, PEM.',
  },
  revocationList: {
    ...probe,
    path: '/pki/crl',
    plain: true,
    headers: CONDITIONAL,
    replies: { 200: shapes.crlShape, 304: null },
    refusals: STORE_FAULTS,
    summary:
      'The revocation list, DER: valid for 24 hours, signed again after a revocation and after two thirds of its life.',
  },
  revocationListPem: {
    ...probe,
    path: '/pki/crl.pem',
    plain: true,
    headers: CONDITIONAL,
    replies: { 200: shapes.pemShape, 304: null },
    refusals: STORE_FAULTS,
    summary: 'The same list, PEM.',
  },
  ocsp: {
    ...of,
    callers: anyone(),
    rate: 'vault_anonymous',
    methods: ['POST'],
    path: '/pki/ocsp',
    plain: true,
    body: 'form',
    bodyBytesMax: limits.pki.ocspRequestBytesMax,
    replies: { 200: shapes.ocspShape },
    refusals: [],
    summary: 'OCSP (RFC 6960): answers for every serial of the request, valid for an hour.',
  },
  ocspGet: {
    ...probe,
    path: '/pki/ocsp/{request*}',
    plain: true,
    keptMs: limits.pki.doorKeptMs,
    headers: CONDITIONAL,
    replies: { 200: shapes.ocspShape, 304: null },
    refusals: [],
    summary: 'OCSP in the cacheable form (RFC 5019): base64 of the request in the path.',
  },
  issueJwt: {
    ...post,
    path: '/jwt',
    request: shapes.newJwtShape,
    replies: { 200: shapes.issuedJwtShape },
    refusals: COMMON,
    summary: 'A JWT (ES256) of the caller for one audience, for five minutes unless `ttl` says otherwise.',
  },
  verifyJwt: {
    ...post,
    path: '/jwt/verify',
    request: shapes.verifyJwtShape,
    replies: { 200: shapes.verifiedJwtShape },
    refusals: COMMON,
    summary: 'Whether a JWT of this vault is valid now, with its claims or the reason.',
  },
  rotateJwt: {
    ...post,
    path: '/jwt/rotate',
    request: shapes.rotateJwtShape,
    replies: { 200: shapes.rotatedJwtShape },
    refusals: COMMON,
    summary:
      'A new key for JWTs: published at once, signing ten minutes later; the old one verifies until its last token has expired. `drop_previous` drops it now.',
  },
  renewAuthority: {
    ...post,
    path: '/pki/ca/renew',
    body: 'none',
    replies: { 200: shapes.renewedAuthorityShape },
    refusals: COMMON,
    summary:
      'Renew the certificate of the authority, for the same key and name; this happens by itself after two thirds of its life.',
  },
  jwks: {
    ...probe,
    path: '/.well-known/jwks.json',
    replies: { 200: shapes.keySetShape },
    refusals: STORE_FAULTS,
    summary: 'Public keys of the vault’s JWTs.',
  },
});
export type CertificateRoutes = typeof certificateRoutes;
