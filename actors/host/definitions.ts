/** Access to a tenant's definitions as they are in its checkout now: the tenant may serve older ones. */
import type { FreshProduct, LoadedProduct } from '#actors/kit/jobs.ts';
import type { Activation } from './activation.ts';

export interface Definitions {
  /** Reads the checkout, on another thread; `problems` is text for an operator. Throws Busy when no thread is free. */
  fresh(activation: Activation): Promise<LoadedProduct>;
  /** The definitions of a revision that the node keeps, whatever the checkout holds; `problems` where it is gone or damaged. */
  kept(activation: Activation, revision: string): Promise<LoadedProduct>;
  /** These definitions are served from now on: their revision is among the tenant's rows, and later activations begin with it. */
  adopted(activation: Activation, fresh: FreshProduct): void;
}

/** For threads that read no checkouts: the only definitions are those that the tenant woke with. */
export const OWN_DEFINITIONS: Definitions = {
  fresh: ({ product }) => Promise.resolve({ product, revision: null }),
  kept: (_activation, revision) => Promise.resolve({ problems: `this thread keeps no revision ${revision}` }),
  adopted: () => undefined,
};
