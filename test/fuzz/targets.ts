/** Every target, those first that a caller without a credential reaches. */
import type { MakeTarget } from './target.ts';
import { backupTarget, recordTarget, tarTarget } from './targets/archives.ts';
import { formTarget, importTarget, multipartTarget } from './targets/bodies.ts';
import { certificateTarget, ocspTarget, requestTarget } from './targets/certificates.ts';
import { claimsTarget, jwksTarget, jwtTarget, tokenTarget } from './targets/credentials.ts';
import { formsTarget, platformTarget, productTarget } from './targets/definitions.ts';
import { checkpointTarget, tileTarget } from './targets/evidence.ts';
import { cookiesTarget, forwardedTarget, headersTarget } from './targets/head.ts';
import { jqTarget, ruleTarget, sqlTarget } from './targets/languages.ts';
import { liveTarget, textsTarget, uploadTarget } from './targets/messages.ts';
import { graphqlTarget, queryTarget, rowTarget } from './targets/rows.ts';

export const TARGETS: Readonly<Record<string, MakeTarget>> = {
  multipart: multipartTarget,
  form: formTarget,
  cookies: cookiesTarget,
  forwarded: forwardedTarget,
  headers: headersTarget,
  token: tokenTarget,
  claims: claimsTarget,
  live: liveTarget,
  query: queryTarget,
  row: rowTarget,
  graphql: graphqlTarget,
  ocsp: ocspTarget,
  'certificate-request': requestTarget,
  certificate: certificateTarget,
  jwks: jwksTarget,
  jwt: jwtTarget,
  'upload-headers': uploadTarget,
  texts: textsTarget,
  import: importTarget,
  checkpoint: checkpointTarget,
  tile: tileTarget,
  jq: jqTarget,
  rule: ruleTarget,
  sql: sqlTarget,
  tar: tarTarget,
  backup: backupTarget,
  record: recordTarget,
  product: productTarget,
  'form-file': formsTarget,
  platform: platformTarget,
};
