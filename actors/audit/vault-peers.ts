/**
 * Vaults that record here: known by a client certificate of an issuer that the file names, with the one name
 * `spiffe://<trust domain>/vault/<sid>` (docs/contract/audit.md §4.1: mTLS from the vault). `vault/<sid>` is then the only source it speaks for.
 */
import type { X509Certificate } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { isIssuedBy, readPeer, spiffeNameOf, validityOf } from '#actors/kit/peer-certificate.ts';
import { principalOf, type Principal } from '#actors/protocol/principal.ts';

const ROLE = 'vault';
const PATH = /^\/(vault\/[a-z0-9_][a-z0-9._-]{0,62})$/;

interface Known {
  readonly principal: Principal;
  readonly notBeforeMs: number;
  readonly expiresAtMs: number;
}

export class VaultPeers {
  readonly #issuers: readonly X509Certificate[];
  readonly #known = new Map<string, Known | null>();

  constructor(issuers: readonly X509Certificate[]) {
    this.#issuers = issuers;
  }

  /** The vault of a certificate (DER in base64); null for other certificates, and for one that is not valid now. */
  of(peer: string, nowMs: number): Principal | null {
    if (peer === '' || this.#issuers.length === 0) return null;
    let known = this.#known.get(peer);
    if (known === undefined) {
      known = this.#judge(peer);
      if (this.#known.size >= limits.audit.vaultPeersMax) this.#known.delete(this.#known.keys().next().value!);
      this.#known.set(peer, known);
    }
    return known !== null && nowMs >= known.notBeforeMs && nowMs < known.expiresAtMs ? known.principal : null;
  }

  #judge(peer: string): Known | null {
    const certificate = readPeer(peer);
    const issuer = certificate && this.#issuers.find((one) => isIssuedBy(certificate, one));
    const name = certificate && spiffeNameOf(certificate);
    if (!certificate || !issuer || name === null || !PATH.test(name.path)) return null;
    return {
      principal: principalOf({ type: 'certificate', subject: name.id, roles: [ROLE] }),
      ...validityOf(certificate, issuer),
    };
  }
}

export const isVault = ({ type, roles }: Principal): boolean => type === 'certificate' && roles[0] === ROLE;

/** The source of a vault's events: `vault/<sid>`. */
export function sourceOf({ subject }: Principal): string {
  return subject.slice(subject.indexOf('/', 'spiffe://'.length) + 1);
}
