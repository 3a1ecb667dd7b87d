/** How a query finds its candidates: the kinds of plans, and what the planner knows when it picks one. */
import { limits } from '#config/limits.ts';
import type { TextPlan } from '../search/text-plan.ts';
import type { StoredRow } from './codec.ts';
import type { Conditions } from './conditions.ts';
import type { Bytes, KeyRange } from './keys/store.ts';
import type { EntityModel, IndexModel } from './model.ts';
import type { Conjunction, OrderTerm, Query } from './query.ts';

interface Common {
  /** Whether candidates come in the query's order; else they are sorted. */
  readonly ordered: boolean;
  readonly reverse: boolean;
}

export type Plan = Common &
  (
    | { readonly kind: 'point'; readonly ids: readonly Bytes[] }
    | {
        readonly kind: 'index';
        readonly index: IndexModel;
        /** Disjoint, in ascending order. */
        readonly ranges: readonly KeyRange[];
        /** How many of the index's first fields are bound. */
        readonly bound: number;
        /** Whether the next field is bound to a range. */
        readonly tailed: boolean;
        /** Whether ranges must be merged to come in order. */
        readonly merged: boolean;
        /** Indexes with all fields bound, which could be intersected or be the better choice; see `refinePlan`. */
        readonly rivals: readonly Rival[];
      }
    | { readonly kind: 'intersection'; readonly indexes: readonly IndexModel[]; readonly ranges: readonly KeyRange[] }
    | { readonly kind: 'table'; readonly range: KeyRange; readonly tailed: boolean }
    | TextPlan
    /** The rows that the statement of a view has given; `begin` starts over at the first. */
    | { readonly kind: 'given'; readonly begin: () => GivenRows }
    /** The rows of each alternative by a plan of its own. A row that an earlier branch gives is passed over. */
    | { readonly kind: 'union'; readonly branches: readonly UnionBranch[] }
  );

/** As candidates are taken (candidates.ts). */
export interface GivenRows {
  next(): StoredRow | null | undefined;
  end(): void;
}

export interface UnionBranch {
  readonly plan: Plan;
  /** What holds for the rows of this branch. */
  readonly conditions: Conjunction;
}

export interface Rival {
  readonly index: IndexModel;
  readonly range: KeyRange;
}

export const NO_RIVALS: readonly Rival[] = [];

export type IndexPlan = Extract<Plan, { kind: 'index' }>;

export interface Wanted extends Conditions {
  readonly model: EntityModel;
  readonly query: Query;
  /** The terms of the order without those whose field is fixed and those after the key: they decide nothing. */
  readonly order: readonly OrderTerm[];
  readonly reverse: boolean;
}

/** Whether the page ends beyond the number of rows that a sort may hold. */
export function sortsTooMany({ offset, limit }: Query): boolean {
  return offset + limit > limits.data.sortRowsMax;
}

/** The plan in words, for `stats`. */
export function describePlan(plan: Plan, isShown: (field: string) => boolean = () => true): Record<string, unknown> {
  const sorted = !plan.ordered;
  const namesOf = (index: IndexModel): readonly string[] => index.names.filter(isShown);
  if (plan.kind === 'point') return { access: 'key', ...(plan.ids.length > 1 && { keys: plan.ids.length }), sorted };
  if (plan.kind === 'table') return { access: 'table', ...(plan.tailed && { range: true }), sorted };
  if (plan.kind === 'text') return { access: 'text', words: plan.text.words.length, sorted };
  if (plan.kind === 'given') return { access: 'view', sorted };
  if (plan.kind === 'union')
    return { access: 'union', branches: plan.branches.map((one) => describePlan(one.plan, isShown)), sorted };
  if (plan.kind === 'intersection') return { access: 'intersection', indexes: plan.indexes.map(namesOf), sorted };
  const { index, bound, tailed, ranges, merged } = plan;
  const more = {
    ...(tailed && { range: true }),
    ...(ranges.length > 1 && { ranges: ranges.length }),
    ...(merged && { merged }),
  };
  return { access: 'index', index: namesOf(index), bound, ...more, sorted };
}
