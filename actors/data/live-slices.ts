/** Serves callers who wait, one slice a turn of the event loop, while no other work holds the tenant. */
import type { Activation } from '#actors/host/activation.ts';
import { nextSlice } from '#actors/host/pace/slice-ring.ts';

export interface LiveSlicesPorts {
  /** Whether there is more to serve. */
  readonly isWanted: () => boolean;
  /** Serves some. */
  readonly slice: () => void;
  /** What the next slice waits for; null where it may follow. */
  readonly pause?: () => Promise<void> | null;
}

export class LiveSlices {
  readonly #activation: Pick<Activation, 'exclusive' | 'tenantNo'>;
  readonly #ports: LiveSlicesPorts;
  #isServing = false;

  constructor(activation: Pick<Activation, 'exclusive' | 'tenantNo'>, ports: LiveSlicesPorts) {
    this.#activation = activation;
    this.#ports = ports;
  }

  /** Goes on until nothing more is wanted; does nothing where it is at work. */
  start(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    void this.#serveAll();
  }

  async #serveAll(): Promise<void> {
    const { exclusive, tenantNo } = this.#activation;
    const { isWanted, slice, pause } = this.#ports;
    while (isWanted()) {
      await nextSlice(tenantNo);
      while (exclusive.held) await new Promise<void>((resolve) => exclusive.whenFree(resolve));
      slice();
      const paused = isWanted() ? (pause?.() ?? null) : null;
      if (paused !== null) await paused;
    }
    this.#isServing = false;
  }
}
