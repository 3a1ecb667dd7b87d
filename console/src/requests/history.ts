/** The last requests that were run by hand at a place: in the memory of the page alone, and gone with the login. */
import { useQuery } from '@tanstack/react-query';
import type { Place } from '../session/session.ts';
import type { Filled } from './request.ts';

/** More would be a list that is not read. */
const KEPT_MAX = 30;
const KEY = ['requests', 'history'] as const;

/** What the page of each kind needs to fill a request in again; no token. */
interface FilledBy {
  readonly rest: Filled & { readonly operation: string };
  readonly call: Filled & { readonly operation: string };
  readonly graphql: { readonly query: string; readonly variables: string };
  readonly expression: Readonly<Record<string, string | undefined>>;
}

export type Kind = keyof FilledBy;

export interface Past<K extends Kind = Kind> {
  readonly id: number;
  readonly kind: K;
  /** What was asked, in a line. */
  readonly title: string;
  /** Null of one that says none. */
  readonly status: number | null;
  readonly ms: number;
  readonly at: string;
  readonly filled: FilledBy[K];
}

let last = 0;

export function remember<K extends Kind>({ queries }: Place, past: Omit<Past<K>, 'id' | 'at'>): void {
  const one: Past = { ...past, id: ++last, at: new Date().toISOString() };
  queries.setQueryData<readonly Past[]>(KEY, (before = []) => [one, ...before].slice(0, KEPT_MAX));
}

/** Those of one kind, newest first. */
export function useHistory<K extends Kind>(kind: K): readonly Past<K>[] {
  const { data } = useQuery<readonly Past[]>({
    queryKey: KEY,
    queryFn: () => [],
    initialData: [],
    staleTime: Infinity,
    gcTime: Infinity,
  });
  return data.filter((one): one is Past<K> => one.kind === kind);
}
