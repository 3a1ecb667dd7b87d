/** What a node receives: a certificate with its SPIFFE ID, and a refresh token. Both are drafts that count once their commit is durable. */
import { hash } from 'node:crypto';
import { limits } from '#config/limits.ts';
import type { CertificateBook, CertificateRecord } from '../authority/certificate-book.ts';
import type { PkiPorts } from '../authority/ports.ts';
import { NO_NAMES } from '../pki/alt-name.ts';
import type { CertificateRequest } from '../pki/certificate-request.ts';
import { spiffeId } from '../pki/spiffe-id.ts';
import type { Change } from '../store.ts';
import type { NodeRecord } from './node-record.ts';
import { digestOf, newToken } from './token-text.ts';

/** Sent to the node. The refresh token is stored nowhere else. */
export interface NodePapers {
  readonly node: NodeRecord;
  readonly certificate: CertificateRecord;
  readonly refreshToken: string;
}

export interface PaperDraft {
  readonly certificate: CertificateRecord;
  readonly changes: readonly Change[];
  readonly refreshToken: string;
  /** The matching fields of the node's record. */
  readonly parts: Pick<NodeRecord, 'key' | 'certificates' | 'refresh'>;
}

/** The fingerprint by which records know a key. */
export const keyDigest = (spki: Buffer): string => hash('sha256', spki, 'base64url');

/** The SPIFFE ID by which the vault recognises the node as a caller (caller.ts). */
export const nodeSpiffeId = (trustDomain: string, id: string): string => spiffeId(trustDomain, `/node/${id}`);

export async function draftPapers(
  ports: PkiPorts,
  book: CertificateBook,
  node: Pick<NodeRecord, 'id' | 'name'> & { readonly certificates?: NodeRecord['certificates'] },
  request: CertificateRequest,
): Promise<PaperDraft> {
  const nowMs = ports.clock.now();
  const id = nodeSpiffeId(ports.trustDomain, node.id);
  const { record: certificate, changes } = await book.draft({
    kind: 'node',
    subject: { organization: 'Skep', organizationalUnit: 'node', commonName: node.name.slice(0, 64) },
    names: { ...NO_NAMES, uri: [id] },
    spki: request.spki,
    isRsa: request.key.asymmetricKeyType === 'rsa',
    lifetimeMs: limits.pki.nodeMs,
    issuedBy: id,
    node: node.id,
  });
  const refreshToken = newToken('hr', node.id, ports.random);
  const running = (node.certificates ?? []).filter(({ not_after_ms }) => not_after_ms > nowMs);
  const own = { serial: certificate.serial, not_after_ms: Date.parse(certificate.not_after) };
  const refresh = { digest: digestOf(refreshToken), expires_ms: nowMs + limits.node.refreshMs };
  return {
    certificate,
    changes,
    refreshToken,
    parts: { key: keyDigest(request.spki), certificates: [...running, own], refresh },
  };
}
