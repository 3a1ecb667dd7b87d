/** What the authority, nodes and workloads depend on. Nothing here knows HTTP or threads. */
import type { Clock } from '#actors/kit/clock.ts';
import type { Places } from '../pki/certificate.ts';
import { EnvelopeBroken } from '../seal/envelope.ts';
import type { VaultStore } from '../store.ts';

/** Owner, name and version of a value: what its envelope is bound to. */
export interface Place {
  readonly tenant: string;
  readonly name: string;
  readonly version: number;
}

/** Where a node may join and where an identity is valid: `dc=<dc>,cluster=<cluster>`. */
export interface Scope {
  readonly datacenter: string;
  readonly cluster: string;
}

/** Closes and opens envelopes; the keys never leave it. */
export interface Strongbox {
  close(place: Place, plain: Uint8Array): Promise<Buffer>;
  open(place: Place, closed: Buffer): Promise<Buffer>;
}

export interface PkiPorts {
  readonly store: VaultStore;
  readonly barrier: Strongbox;
  readonly clock: Clock;
  readonly random: (bytes: number) => Buffer;
  /** The id of a new record: a ULID. */
  readonly nextId: () => string;
  /** Throws while the vault is sealed. */
  readonly assertOpen: () => void;
  /** The trust domain of SPIFFE IDs; the name of this instance inside the authority's name. */
  readonly trustDomain: string;
  /** The datacenter and cluster of this vault: nodes join here, and nowhere else. */
  readonly scope: Scope;
  readonly places: Places;
}

/** A record and the version that a change of it expects. */
export interface Kept<T> {
  readonly record: T;
  readonly version: number;
}

/** A record of the store, JSON; null when there is none. */
export async function readRecord<T>(store: VaultStore, path: string): Promise<Kept<T> | null> {
  const stored = await store.get(path);
  return stored === undefined ? null : { record: recordIn<T>(path, stored.value), version: stored.version };
}

/** A record that cannot be read was changed from outside: it is refused by name, as a broken envelope is. */
function recordIn<T>(path: string, value: Buffer): T {
  try {
    return JSON.parse(value.toString('utf8')) as T;
  } catch {
    throw new EnvelopeBroken(`the record at ${path} cannot be read`);
  }
}

export const encodeRecord = (record: unknown): Buffer => Buffer.from(JSON.stringify(record), 'utf8');
