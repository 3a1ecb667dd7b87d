/** The last requests that were run by hand at a place: in the memory of the page alone, and gone with the login. */
import { useQuery } from '@tanstack/react-query';
import type { Place } from '../session/session.ts';

/** More would be a list that is not read. */
const KEPT_MAX = 30;
const KEY = ['requests', 'history'] as const;

export interface Past {
  readonly id: number;
  readonly kind: 'rest' | 'graphql' | 'expression' | 'call';
  /** What was asked, in a line. */
  readonly title: string;
  /** Null of one that says none. */
  readonly status: number | null;
  readonly ms: number;
  readonly at: string;
  /** What its page needs to fill it in again; no token. */
  readonly filled: Readonly<Record<string, unknown>>;
}

let last = 0;

export function remember({ queries }: Place, past: Omit<Past, 'id' | 'at'>): void {
  const one: Past = { ...past, id: ++last, at: new Date().toISOString() };
  queries.setQueryData<readonly Past[]>(KEY, (before = []) => [one, ...before].slice(0, KEPT_MAX));
}

/** Those of one kind, newest first. */
export function useHistory(kind: Past['kind']): readonly Past[] {
  const { data } = useQuery<readonly Past[]>({
    queryKey: KEY,
    queryFn: () => [],
    initialData: [],
    staleTime: Infinity,
    gcTime: Infinity,
  });
  return data.filter((one) => one.kind === kind);
}
