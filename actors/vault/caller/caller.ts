/**
 * Identifies the caller by the client certificate that TLS has verified. Its one SPIFFE id (SPIFFE "X.509-SVID" §2: a single URI name) gives the
 * role: `…/operator/<name>`, `…/node/<id>`, otherwise a workload. The issuer decides which of these roles count.
 */
import type { X509Certificate } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { isIssuedBy, readPeer, spiffeNameOf, validityOf } from '#actors/kit/peer-certificate.ts';
import { principalOf, type Principal } from '#actors/protocol/principal.ts';

export type Role = 'operator' | 'node' | 'workload';

/** A trusted issuer of client certificates. */
export interface Anchor {
  readonly certificate: X509Certificate;
  readonly roles: ReadonlySet<Role>;
  /** Whether a certificate of this issuer was revoked; the serial in upper-case hexadecimal. */
  isRevoked(serial: string): boolean;
}

export interface Caller {
  readonly spiffeId: string;
  readonly role: Role;
  /** The id's part after the role: the operator's name, the node's id, the workload's path. */
  readonly name: string;
  readonly serial: string;
  readonly anchor: Anchor;
  readonly notBeforeMs: number;
  readonly expiresAtMs: number;
  readonly principal: Principal;
}

export class Callers {
  readonly #trustDomain: string;
  readonly #known = new Map<string, Caller | null>();
  #anchors: readonly Anchor[] = [];

  constructor(trustDomain: string) {
    this.#trustDomain = trustDomain;
  }

  /** Replaces the trusted issuers. */
  trust(anchors: readonly Anchor[]): void {
    this.#anchors = anchors;
    this.#known.clear();
  }

  get anchors(): readonly Anchor[] {
    return this.#anchors;
  }

  /**
   * The caller of a certificate (DER in base64). Null without a certificate, or for one that is untrusted, not valid now, revoked, or without a
   * name that this vault knows.
   */
  of(peer: string, nowMs: number): Caller | null {
    if (peer === '' || peer.length > limits.vault.peerCharsMax) return null;
    let caller = this.#known.get(peer);
    if (caller === undefined) {
      caller = this.#judge(peer);
      if (this.#known.size >= limits.vault.callersMax) this.#known.delete(this.#known.keys().next().value!);
      this.#known.set(peer, caller);
    }
    if (caller === null || nowMs < caller.notBeforeMs || nowMs >= caller.expiresAtMs) return null;
    return caller.anchor.isRevoked(caller.serial) ? null : caller;
  }

  #judge(peer: string): Caller | null {
    const certificate = readPeer(peer);
    if (certificate === null) return null;
    const anchor = this.#anchors.find((one) => isIssuedBy(certificate, one.certificate));
    const spiffe = spiffeNameOf(certificate);
    if (anchor === undefined || spiffe === null) return null;
    const { id, domain, path } = spiffe;
    const role = roleOf(path);
    if (domain !== this.#trustDomain || !anchor.roles.has(role)) return null;
    return {
      spiffeId: id,
      role,
      name: role === 'workload' ? path.slice(1) : path.split('/').slice(2).join('/'),
      serial: certificate.serialNumber,
      anchor,
      ...validityOf(certificate, anchor.certificate),
      principal: certified(id, role),
    };
  }
}

function roleOf(path: string): Role {
  if (/^\/operator\/[^/]+$/.test(path)) return 'operator';
  return /^\/node\/[^/]+$/.test(path) ? 'node' : 'workload';
}

export const certified = (subject: string, role: Role): Principal =>
  principalOf({ type: 'certificate', subject, roles: [role] });
