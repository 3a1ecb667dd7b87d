/** The issuers of operators' certificates and their revocation lists, from the files that the platform names. */
import type { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { VaultConfig } from '#config/platform.ts';
import type { Anchor } from '#actors/vault/caller/caller.ts';
import { fromPem } from '#actors/vault/pki/pem.ts';
import { readRevocationList, type ForeignList } from '#actors/vault/pki/read-revocation-list.ts';
import { pemCertificates } from './pem-certificates.ts';

export interface OperatorAnchors {
  readonly anchors: readonly Anchor[];
  /** The earliest `nextUpdate` of their lists, in milliseconds; Infinity without lists. */
  readonly listsEndMs: number;
}

const LISTS = /-----BEGIN X509 CRL-----[\s\S]+?-----END X509 CRL-----/g;

/** Throws, naming the file, when one holds nothing, is damaged, or has a list that none of the issuers has signed. */
export function operatorAnchors({ operators: { ca, crl } }: VaultConfig): OperatorAnchors {
  if (ca === undefined) return { anchors: [], listsEndMs: Infinity };
  const issuers = pemCertificates(ca, 'vault.operators.ca');
  const lists = crl === undefined ? [] : readLists(crl);
  const stranger = lists.find((list) => !issuers.some((issuer) => list.isSignedBy(issuer)));
  if (stranger !== undefined)
    throw new Error(`vault.operators.crl: ${crl} has a list that no issuer of vault.operators.ca has signed`);
  return { anchors: issuers.map((issuer) => anchorOf(issuer, lists)), listsEndMs: endOf(lists) };
}

function readLists(file: string): ForeignList[] {
  const texts = readFileSync(file, 'utf8').match(LISTS);
  if (texts === null) throw new Error(`vault.operators.crl: ${file} holds no revocation list in PEM`);
  return texts.map((text) => {
    const der = fromPem(text, ['X509 CRL']);
    const list = der === null ? 'the PEM text is damaged' : readRevocationList(der);
    if (typeof list === 'string') throw new Error(`vault.operators.crl: ${file}: ${list}`);
    return list;
  });
}

function anchorOf(certificate: X509Certificate, lists: readonly ForeignList[]): Anchor {
  const mine = lists.filter((list) => list.isSignedBy(certificate));
  return {
    certificate,
    roles: new Set(['operator'] as const),
    isRevoked: (serial) => mine.some(({ serials }) => serials.has(serial)),
  };
}

const endOf = (lists: readonly ForeignList[]): number => Math.min(...lists.map(({ nextUpdateMs }) => nextUpdateMs));
