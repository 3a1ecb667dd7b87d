/** Logs the faults of checkouts when a node starts, so that they can be mended before a request or provisioning meets them. */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import { Serial } from '#actors/kit/serial.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';

export interface CheckoutFaultsPorts {
  /** The faults of a checkout in words; '' for none. */
  readonly faultsOf: (localdir: string) => Promise<string>;
  readonly log: () => Log;
  /** Resolves when the first checkout may be looked through. */
  readonly begin: () => Promise<void>;
}

/** Checks one checkout at a time, each once, at most `limits.host.warmProductsMax`. */
export class CheckoutFaults {
  readonly #ports: CheckoutFaultsPorts;
  readonly #seen = new Set<string>();
  #isBegun = false;
  readonly #looks = new Serial();

  constructor(ports: CheckoutFaultsPorts) {
    this.#ports = ports;
  }

  add(tenants: readonly TenantEntry[]): void {
    for (const { state, localdir } of tenants) {
      if (state !== 'active' || localdir === null || this.#seen.has(localdir)) continue;
      if (this.#seen.size >= limits.host.warmProductsMax) return;
      if (!this.#isBegun) void this.#looks.run(this.#ports.begin);
      this.#isBegun = true;
      this.#seen.add(localdir);
      void this.#looks.run(() => this.#look(localdir));
    }
  }

  /** This checkout was just read and found sound. */
  pass(localdir: string): void {
    if (this.#seen.size < limits.host.warmProductsMax) this.#seen.add(localdir);
  }

  async #look(localdir: string): Promise<void> {
    const { faultsOf, log } = this.#ports;
    try {
      const faults = await faultsOf(localdir);
      if (faults !== '')
        log().error(
          { localdir, faults },
          'a checkout has faults: provisioning refuses it, and its tenants serve what they were provisioned with',
        );
    } catch (error) {
      log().error({ err: error, localdir }, 'a checkout could not be checked for faults');
    }
  }
}
