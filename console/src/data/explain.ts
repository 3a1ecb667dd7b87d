/** What the rules say to a person about one row (docs/contract/data-admin.md §10.4). Asked on purpose: each ask is on record. */
import type { Place } from '../session/session.ts';

export const ACTS = ['read', 'update', 'delete', 'restore'] as const;
export type Act = (typeof ACTS)[number];

export interface Part {
  readonly text: string;
  readonly gives: 'true' | 'false' | 'fails' | 'by_row' | 'by_body';
  readonly why: string | null;
}

export interface RuleSaid {
  readonly name: string;
  /** Null where there is none. */
  readonly rule: string | null;
  readonly where: string | null;
  readonly verdict: 'allows' | 'denies' | 'by_row' | 'by_body';
  readonly why: string;
  readonly admits: boolean | null;
  /** Null where it is about a row that the asker may not read. */
  readonly parts: readonly Part[] | null;
}

export interface Explained {
  readonly user: { readonly roles: readonly string[]; readonly disabled: boolean };
  readonly rules: readonly RuleSaid[];
  /** The status of the request; null where a body or the changed row decides. */
  readonly answer: { readonly status: number | null; readonly why: string };
}

interface Asked {
  readonly user: string;
  readonly act: Act;
  readonly entity: string;
  readonly id: string;
  /** The body of a change. */
  readonly data: unknown;
}

const METHODS: Readonly<Record<Act, string>> = { read: 'GET', update: 'PATCH', delete: 'DELETE', restore: 'POST' };

export async function explainTo({ skep }: Place, { user, act, entity, id, data }: Asked): Promise<Explained> {
  const row = `/data/rest/${encodeURIComponent(entity)}/id/${encodeURIComponent(id)}`;
  const target = act === 'restore' ? `${row}/restore` : row;
  const body = { user, method: METHODS[act], target, ...(data !== null && { data }) };
  const answer = await skep.transport.send({ method: 'POST', path: '/data/admin/data/explain', body });
  return answer.json as Explained;
}

/** Whether a rule lets the request through, as far as it is known; null where it is not. */
export function letsThrough({ admits, verdict }: Pick<RuleSaid, 'admits' | 'verdict'>): boolean | null {
  if (verdict === 'denies') return false;
  return admits ?? (verdict === 'allows' ? true : null);
}
