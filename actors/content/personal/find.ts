/** Stores whose files may name a person: those with `person`, also ones that are not active, or keep their index in the database now. */
import type { Activation } from '#actors/host/activation.ts';
import type { FsIndex } from '../asset/fs-index.ts';
import { partOf, type OpenStore } from '../part.ts';

export interface NamingStore {
  readonly store: OpenStore;
  readonly onErasure: NonNullable<OpenStore['onErasure']>;
  readonly files: FsIndex;
}

/** In the order of their names. */
export function namingStores(activation: Activation): NamingStore[] {
  return allStores(activation).flatMap((store) => {
    const { onErasure, files } = store;
    return onErasure === null || files === null ? [] : [{ store, onErasure, files }];
  });
}

/** Every store of the tenant, in the order of their names. */
export function allStores(activation: Activation): OpenStore[] {
  const { stores, closed } = partOf(activation);
  return [...stores.values(), ...closed].sort((a, b) => (a.name < b.name ? -1 : 1));
}
