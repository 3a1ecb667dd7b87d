/** What a deploy needs beyond identity. */
import type { TakenProduct } from '#actors/kit/jobs.ts';
import { NO_RELAY, type Relay } from '#actors/protocol/relay.ts';

/** Checks the archive of a product, and keeps it as a revision of this node; `localdir` is the product's checkout here. Throws Busy. */
export type TakeProduct = (archive: Uint8Array, localdir: string) => Promise<TakenProduct>;

export interface DeployPorts {
  readonly take: TakeProduct;
  readonly relay: Relay;
}

/** For threads that keep no revisions. */
export const NO_DEPLOYS: DeployPorts = {
  take: () => Promise.resolve({ problems: 'this thread keeps no revisions\n' }),
  relay: NO_RELAY,
};
