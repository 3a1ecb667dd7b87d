/** One handler per row of certificate-routes.ts. */
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import type { CertificateRoutes } from './certificate-routes.ts';
import { guarded } from '../guard.ts';
import { issueCertificate } from './issue-certificate.ts';
import { issueJwt, showKeySet, verifyJwtVerb } from './jwt-verbs.ts';
import type { PkiRoom } from '../pki-room.ts';
import { answerOcspGet, answerOcspPost, showAuthority, showList, showListPem } from './publish.ts';
import { listCertificates, readCertificateVerb } from './read-certificates.ts';
import { renewAuthority, rotateJwt } from './rotate-keys.ts';
import { revokeCertificate } from './revoke-certificate.ts';

export function certificateHandlers(pki: PkiRoom): Handlers<CertificateRoutes> {
  const by = <O>(verb: (pki: PkiRoom, call: Call) => Promise<O>) => guarded((call) => verb(pki, call));
  return {
    issueCertificate: by(issueCertificate),
    listCertificates: by(listCertificates),
    readCertificate: by(readCertificateVerb),
    revokeCertificate: by(revokeCertificate),
    authority: by(showAuthority),
    revocationList: by(showList),
    revocationListPem: by(showListPem),
    ocsp: (call) => answerOcspPost(pki, call),
    ocspGet: (call) => answerOcspGet(pki, call),
    issueJwt: by(issueJwt),
    verifyJwt: by(verifyJwtVerb),
    rotateJwt: by(rotateJwt),
    renewAuthority: by(renewAuthority),
    jwks: by(showKeySet),
  };
}
