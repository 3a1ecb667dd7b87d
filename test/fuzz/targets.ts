/** Every target, those first that a caller without a credential reaches. */
import type { MakeTarget } from './target.ts';
import { formTarget, importTarget, multipartTarget } from './targets/bodies.ts';
import { certificateTarget, ocspTarget, requestTarget } from './targets/certificates.ts';
import { claimsTarget, jwksTarget, jwtTarget, tokenTarget } from './targets/credentials.ts';
import { cookiesTarget, forwardedTarget, headersTarget } from './targets/head.ts';

export const TARGETS: Readonly<Record<string, MakeTarget>> = {
  multipart: multipartTarget,
  form: formTarget,
  cookies: cookiesTarget,
  forwarded: forwardedTarget,
  headers: headersTarget,
  token: tokenTarget,
  claims: claimsTarget,
  ocsp: ocspTarget,
  'certificate-request': requestTarget,
  certificate: certificateTarget,
  jwks: jwksTarget,
  jwt: jwtTarget,
  import: importTarget,
};
