/** Where the upkeep of a tenant is asked for: at the tenant by its own people, or from the control plane by those who run the node. Both answer alike. */
import { createContext, use } from 'react';
import type { Place } from '../session/session.ts';

export interface UpkeepPort {
  readonly skep: Place['skep'];
  /** The path of its routes, in front of `/locks`. */
  readonly base: string;
  /** The address of its page. */
  readonly path: string;
  /** What is typed before a pass deletes rows. */
  readonly tenant: string;
}

const Port = createContext<UpkeepPort | null>(null);

export const UpkeepAt = Port.Provider;

export function useUpkeep(): UpkeepPort {
  const port = use(Port);
  if (port === null) throw new Error('a part of the page of upkeep stands outside of it');
  return port;
}
