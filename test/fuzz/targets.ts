/** Every target, those first that a caller without a credential reaches. */
import type { MakeTarget } from './target.ts';
import { backupTarget, recordTarget, tarTarget } from '#test/fuzz/targets/archives.ts';
import { formTarget, importTarget, multipartTarget } from '#test/fuzz/targets/bodies.ts';
import { certificateTarget, ocspTarget, requestTarget } from '#test/fuzz/targets/certificates.ts';
import { claimsTarget, jwksTarget, jwtTarget, tokenTarget } from '#test/fuzz/targets/credentials.ts';
import { formsTarget, platformTarget, productTarget } from '#test/fuzz/targets/definitions.ts';
import { checkpointTarget, tileTarget } from '#test/fuzz/targets/evidence.ts';
import { cookiesTarget, forwardedTarget, headersTarget } from '#test/fuzz/targets/head.ts';
import { jqTarget, ruleTarget, sqlTarget } from '#test/fuzz/targets/languages.ts';
import { bucketTarget, mailTarget } from '#test/fuzz/targets/outside.ts';
import { passkeyTarget, userImportTarget } from '#test/fuzz/targets/people.ts';
import { linkTarget } from '#test/fuzz/targets/links.ts';
import { policyTarget } from '#test/fuzz/targets/policies.ts';
import { providerTarget } from '#test/fuzz/targets/providers.ts';
import { signedUrlTarget } from '#test/fuzz/targets/signed-urls.ts';
import { liveTarget, textsTarget, uploadTarget } from '#test/fuzz/targets/messages.ts';
import { graphqlTarget, queryTarget, rowTarget } from '#test/fuzz/targets/rows.ts';

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
  'signed-url': signedUrlTarget,
  passkey: passkeyTarget,
  provider: providerTarget,
  mail: mailTarget,
  bucket: bucketTarget,
  'user-import': userImportTarget,
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
  policy: policyTarget,
  link: linkTarget,
};
