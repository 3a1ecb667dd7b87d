/**
 * What door and hosts are told of the registry: all of it first, and afterwards of the tenants that have changed, for a node may
 * have ten thousand of them and change one.
 */
import type { ControlRead } from '#actors/identity/registry.ts';
import type { TenantChanges, TenantEntry } from '#actors/protocol/topics.ts';
import type { Directory } from '#runtime/door/directory.ts';
import { CONTROL_ENTRY } from './control-plane.ts';
import type { RingKeys } from './ring-keys.ts';
import type { TenantHostRoom } from './rooms/tenant-host-room.ts';

export interface TenantNewsPorts {
  readonly hosts: Pick<TenantHostRoom, 'change' | 'share'>;
  readonly directory: Pick<Directory, 'change' | 'get' | 'replace'>;
  readonly ringKeys: Pick<RingKeys, 'withKeys'>;
  /** Reads the control plane: the ring, and the tenants of these keys or all (null). */
  read(keys: readonly string[] | null): Promise<ControlRead>;
}

interface Telling {
  readonly keys: Set<string>;
  all: boolean;
  readonly done: Promise<void>;
}

export class TenantNews {
  readonly #ports: TenantNewsPorts;
  #last: Promise<void> = Promise.resolve();
  /** The telling that has not begun: it will read what whoever comes before then has written. */
  #waiting: Telling | null = null;
  /** Somebody may not have heard all that was told before: the next telling is of all. */
  #missed = true;

  constructor(ports: TenantNewsPorts) {
    this.#ports = ports;
  }

  /** Tells of all tenants; one telling after the other, so that nobody hears old news last. */
  ofAll(): Promise<void> {
    const next = this.#next();
    next.all = true;
    return next.done;
  }

  /** Tells of one tenant. Who comes while a telling waits for its turn shares it: many that change at once are read and told together. */
  of(key: string): Promise<void> {
    const next = this.#next();
    next.keys.add(key);
    return next.done;
  }

  #next(): Telling {
    if (this.#waiting !== null) return this.#waiting;
    const done = this.#last.then(() => {
      const telling = this.#waiting!;
      this.#waiting = null;
      return this.#tell(telling.all || this.#missed ? null : [...telling.keys]);
    });
    this.#last = done.catch(() => undefined);
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

/** A key that is read no more is a tenant deleted; one that has another number, a tenant moved or made anew. */
function changesOf(
  directory: TenantNewsPorts['directory'],
  keys: readonly string[],
  tenants: readonly TenantEntry[],
): TenantChanges {
  const now = new Set(tenants.map(({ no }) => no));
  const before = keys.flatMap((key) => directory.get(key)?.no ?? []);
  return { put: tenants, gone: before.filter((no) => !now.has(no)) };
}
