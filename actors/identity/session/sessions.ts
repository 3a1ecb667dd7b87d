/** The session registries of one thread: a tenant keeps one registry, however often it wakes. */
import type { Activation } from '#actors/host/activation.ts';
import { followProduct } from '#actors/host/served-product.ts';
import type { Later } from '../last-use.ts';
import { keepSessions } from './keeper.ts';
import { loadSessions } from './load-sessions.ts';
import { SessionRegistry } from './registry.ts';
import { setSessions, TenantSessions } from './tenant-sessions.ts';

export class Sessions {
  readonly #later: Later;
  /**
   * By tenant number, for as long as an activation holds it. A call that waited may continue with an old activation: the tenant's new activation
   * must see the sessions that it opens and ends.
   */
  readonly #shared = new Map<number, WeakRef<SessionRegistry>>();

  constructor(later: Later) {
    this.#later = later;
  }

  /** Gives the activation its session gate; done when it returns, or when its promise settles. */
  activate(activation: Activation): void | Promise<void> {
    const { tenantNo, product, since } = activation;
    const registry = this.#shared.get(tenantNo)?.deref() ?? this.#load(activation);
    keepSessions(activation, registry, this.#later);
    const sessions = new TenantSessions(registry, product.settings.sessions, since);
    setSessions(activation, sessions);
    followProduct(
      activation,
      ({ settings }) =>
        () =>
          sessions.obey(settings.sessions),
    );
    return registry.loading ?? undefined;
  }

  #load({ tenantNo, store }: Activation): SessionRegistry {
    const registry = new SessionRegistry();
    const loading = loadSessions(registry, store, this.#later);
    this.#shared.set(tenantNo, new WeakRef(registry));
    if (loading === undefined) return registry;
    registry.loading = loading.then(
      () => void (registry.loading = null),
      (error: unknown) => {
        this.#shared.delete(tenantNo); // the next wake reads again
        throw error;
      },
    );
    return registry;
  }
}
