/**
 * Tells door and hosts what the registry holds: everything first, afterwards only the tenants that have changed, since a node may
 * have ten thousand tenants and change one.
 */
import type { ControlRead } from '#actors/identity/registry.ts';
import { Serial } from '#actors/kit/serial.ts';
import type { TenantChanges, TenantEntry } from '#actors/protocol/topics.ts';
import type { Directory } from '#runtime/door/directory.ts';
import { CONTROL_ENTRY } from './control-plane.ts';
import type { RingKeys } from './ring-keys.ts';
import type { TenantHostRoom } from './rooms/tenant-host-room.ts';

export interface TenantNewsPorts {
  readonly hosts: Pick<TenantHostRoom, 'change' | 'share'>;
  readonly directory: Pick<Directory, 'change' | 'get' | 'replace'>;
  readonly ringKeys: Pick<RingKeys, 'withKeys'>;
  /** Reads the control plane: the ring, and the tenants of these keys, or all tenants (null). */
  read(keys: readonly string[] | null): Promise<ControlRead>;
}

interface Telling {
  readonly keys: Set<string>;
  all: boolean;
  readonly done: Promise<void>;
}

export class TenantNews {
  readonly #ports: TenantNewsPorts;
  readonly #tellings = new Serial();
  /** The telling that has not begun to read: it will also see what is written until it begins. */
  #waiting: Telling | null = null;
  /** The last telling did not end well, so some host may have missed it: the next one tells of all tenants. */
  #missed = true;

  constructor(ports: TenantNewsPorts) {
    this.#ports = ports;
  }

  /** Tells of all tenants. Tellings run one after the other, so that no host gets an older state last. */
  ofAll(): Promise<void> {
    const next = this.#next();
    next.all = true;
    return next.done;
  }

  /** Tells of one tenant. Calls made while a telling waits for its turn share it, so that many changes at once are read and told together. */
  of(key: string): Promise<void> {
    const next = this.#next();
    next.keys.add(key);
    return next.done;
  }

  #next(): Telling {
    if (this.#waiting !== null) return this.#waiting;
    const done = this.#tellings.run(() => {
      const telling = this.#waiting!;
      this.#waiting = null;
      return this.#tell(telling.all || this.#missed ? null : [...telling.keys]);
    });
    return (this.#waiting = { keys: new Set(), all: false, done });
  }

  async #tell(keys: readonly string[] | null): Promise<void> {
    const { directory, hosts, ringKeys } = this.#ports;
    this.#missed = true;
    const { tenants, ring } = await this.#ports.read(keys);
    const withKeys = await ringKeys.withKeys(ring);
    if (keys === null) {
      const all = [CONTROL_ENTRY, ...tenants];
      directory.replace(all);
      await hosts.share(all, withKeys);
    } else {
      const changes = changesOf(directory, keys, tenants);
      directory.change(changes);
      await hosts.change(changes, withKeys);
    }
    this.#missed = false;
  }
}

/** `gone`: numbers whose key is missing now (the tenant was deleted) or has another number (it was moved or made anew). */
function changesOf(
  directory: TenantNewsPorts['directory'],
  keys: readonly string[],
  tenants: readonly TenantEntry[],
): TenantChanges {
  const now = new Set(tenants.map(({ no }) => no));
  const before = keys.flatMap((key) => directory.get(key)?.no ?? []);
  return { put: tenants, gone: before.filter((no) => !now.has(no)) };
}
