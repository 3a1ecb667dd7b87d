/** The way to a tenant's definitions as its checkout says them now: what the tenant serves may be older. */
import type { FreshProduct, LoadedProduct } from '#actors/kit/jobs.ts';
import type { Activation } from './activation.ts';

export interface Definitions {
  /** Reads the checkout, on another thread; `problems` in words for people. Throws Busy where none is free for it. */
  fresh(activation: Activation): Promise<LoadedProduct>;
  /** What is served from now on: its revision stands among the tenant's rows, and activations that wake later begin with it. */
  adopted(activation: Activation, fresh: FreshProduct): void;
}

/** For threads that read no checkouts: what the tenant woke with is all there is. */
export const OWN_DEFINITIONS: Definitions = {
  fresh: ({ product }) => Promise.resolve({ product, revision: null }),
  adopted: () => undefined,
};
