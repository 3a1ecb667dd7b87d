/** POST /certificate/internal. */
import { generateKeyPairSync } from 'node:crypto';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import type { CertificateOrder } from '../authority/certificate-book.ts';
import { newCertificateShape, type NewCertificate } from './certificate-shapes.ts';
import type { CertificateRoutes } from './certificate-routes.ts';
import type { PkiRoom } from '../pki-room.ts';
import { canonicalNames, nameCount, type AltNames } from '../pki/alt-name.ts';
import { readCertificateRequest, type CertificateRequest } from '../pki/certificate-request.ts';
import { COMMON_NAME_CHARS_MAX } from '../pki/name.ts';
import { spkiOf } from '../pki/public-key.ts';
import { bad, lifetimeOf, readShape } from '../read-shape.ts';
import { refuse } from '../refusals.ts';
import { NO_STORE, showCertificate } from './show-certificate.ts';
import { flawOfWorkloadId } from '../workload/workload-id.ts';

const PATH = 'certificate/internal';

interface Holder {
  readonly spki: Buffer;
  readonly isRsa: boolean;
  /** PEM of the private key, where the vault made it. */
  readonly privateKey?: string;
}

export async function issueCertificate(
  pki: PkiRoom,
  call: Call,
): Promise<Outcome<CertificateRoutes['issueCertificate']>> {
  const { keeper } = pki;
  const refused = await keeper.allow(call, 'issue', PATH);
  if (refused !== null) return refused;
  const wish = readShape(call, newCertificateShape);
  if (isRefusal(wish)) return wish;
  const request = wish.csr === undefined ? null : readCertificateRequest(wish.csr);
  if (typeof request === 'string') return bad(`csr: ${request}`);
  const order = orderOf(pki, wish, request);
  if (isRefusal(order)) return order;
  const holder = holderOf(request);
  const issuedBy = call.principal!.subject;
  const record = await pki.book.issue({ kind: 'service', ...order, ...holder, issuedBy });
  if (record === null) return refuse('vault.internal');
  const { serial, names, not_after } = record;
  await keeper.report(call, {
    action: 'cert.issue',
    target: serial,
    outcome: 'ok',
    tenant: null,
    data: { common_name: record.subject, ...names, not_after },
  });
  const { pem } = await pki.keys.authority();
  const { privateKey } = holder;
  const shown = { ...showCertificate(record, pki.ports.clock.now()), ca: pem };
  return reply(201, privateKey === undefined ? shown : { ...shown, private_key: privateKey }, NO_STORE);
}

type Asked = Pick<CertificateOrder, 'subject' | 'names' | 'lifetimeMs'>;

/** Names in the body take the place of those in the request. */
function orderOf(
  pki: PkiRoom,
  wish: NewCertificate,
  request: CertificateRequest | null,
): Asked | Refusal<'vault.bad_request'> {
  const lifetimeMs = lifetimeOf(wish.ttl, limits.pki.serviceMs, limits.pki.serviceMsMax);
  if (isRefusal(lifetimeMs)) return lifetimeMs;
  const isNamed = wish.dns !== undefined || wish.ip !== undefined || wish.uri !== undefined;
  const asked: AltNames | undefined = isNamed ? { dns: [], ip: [], uri: [], ...defined(wish) } : request?.names;
  const names = canonicalNames(asked ?? { dns: [], ip: [], uri: [] });
  if (typeof names === 'string') return bad(names);
  if (nameCount(names) > limits.pki.namesMax) return bad(`at most ${limits.pki.namesMax} names`);
  const flaw = names.uri.map((uri) => flawOfWorkloadId(uri, pki.ports.trustDomain)).find((one) => one !== null);
  if (flaw !== undefined) return bad(`uri: ${flaw}`);
  const commonName = wish.common_name ?? request?.subject.commonName;
  if (commonName === undefined && nameCount(names) === 0)
    return bad('the certificate needs a name: give common_name, dns, ip or uri');
  if (commonName !== undefined && !isCommonName(commonName))
    return bad(`common_name: 1 to ${COMMON_NAME_CHARS_MAX} characters, none of them a control character`);
  return { subject: { organization: 'Skep', commonName }, names, lifetimeMs };
}

function defined({ dns, ip, uri }: NewCertificate): Partial<AltNames> {
  return { ...(dns && { dns }), ...(ip && { ip }), ...(uri && { uri }) };
}

const isCommonName = (text: string): boolean =>
  text.length > 0 && text.length <= COMMON_NAME_CHARS_MAX && !/\p{C}/u.test(text);

/** A key that the vault makes leaves once, with the answer. */
function holderOf(request: CertificateRequest | null): Holder {
  if (request !== null) return { spki: request.spki, isRsa: request.key.asymmetricKeyType === 'rsa' };
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { spki: spkiOf(publicKey), isRsa: false, privateKey: pem };
}
