/** Whether every node of a log finds the vault: what the doors of a node that stands by, and certificates that nodes share, rest on. */
import { hasLog } from './journal-problems.ts';
import type { Platform } from './platform.ts';
import { referencesOf } from './references.ts';

/** What keeps something, and what to do about it. */
export interface Kept {
  readonly why: string;
  readonly mend: string;
}

/** Why a node that does not serve cannot read the vault by itself; null where it can: the store is reached from everywhere, and each machine has the root key. */
export function whyNotShared({ vault }: Pick<Platform, 'vault'>): Kept | null {
  const { backend, enabled, seal } = vault;
  const { current } = seal;
  if (!enabled)
    return {
      why: 'the node has no vault',
      mend: 'set vault: { enabled: true, backend: { kind: postgres }, seal: { current: { file: ./root.key } } } on every node, with one root key',
    };
  if (backend.kind !== 'postgres' && backend.kind !== 'etcd')
    return {
      why: `the vault lies in ${backend.kind} on this machine`,
      mend: 'set vault.backend.kind: postgres on every node before secrets are written: they are not taken along',
    };
  if (seal.kind !== 'key')
    return {
      why: 'the vault is opened by shares, which are given to the node that serves alone',
      mend: 'set vault.seal: { kind: key, current: { file: ./root.key } } for a vault that every node opens',
    };
  if (current.file === undefined && current.env === undefined)
    return { why: 'the vault has no root key', mend: 'set vault.seal.current: { file: ./root.key } on every node' };
  return null;
}

/** What the doors of a node that stands by take out of the vault; null where they take nothing. */
export function neededOfVault(platform: Platform): string | null {
  if (referencesOf(platform).length > 0) return 'secrets of the platform file lie in the vault';
  return platform.gateway.tls?.acme === undefined ? null : 'certificates of sites are ordered by the node that serves';
}

/** Why the doors of a node stay closed while it stands by; null where its platform file lets them open. */
export function whyClosed(platform: Platform): Kept | null {
  const needed = neededOfVault(platform);
  const kept = needed === null ? null : whyNotShared(platform);
  return kept === null ? null : { why: `${needed}, and ${kept.why}`, mend: kept.mend };
}

/** Whether the nodes of a log have one set of certificates by ACME: in the vault, which each of them reads. */
export function sharesCertificates(platform: Platform): boolean {
  return hasLog(platform) && platform.gateway.tls?.acme !== undefined && whyNotShared(platform) === null;
}
