/** The plan of alternatives: each branch by a plan of its own, where that narrows the rows more than what holds for all branches. */
import { limits } from '#config/limits.ts';
import { sortsTooMany, type Plan, type UnionBranch } from './access-path.ts';
import type { Alternatives, Query } from './query.ts';

type PlanOf = (query: Query) => Plan;

/** The union that narrows most; null where the plan without it narrows as much. */
export function unionOf(query: Query, plain: Plan, planOf: PlanOf): Plan | null {
  let best: readonly UnionBranch[] | null = null;
  let worth = narrowing(plain);
  for (const alternatives of query.any) {
    if (alternatives.of.length > limits.data.planRangesMax) continue;
    const branches = branchesOf(query, alternatives, planOf);
    const least = Math.min(...branches.map(({ plan }) => narrowing(plan)));
    if (least <= worth) continue;
    worth = least;
    best = branches;
  }
  if (best === null) return null;
  const ordered = best.every(({ plan }) => plan.ordered);
  return !ordered && plain.ordered && sortsTooMany(query)
    ? null
    : { kind: 'union', branches: best, ordered, reverse: false };
}

function branchesOf(query: Query, { of }: Alternatives, planOf: PlanOf): UnionBranch[] {
  return of.map((conditions) => ({
    conditions,
    plan: planOf({ ...query, where: [...query.where, ...conditions.where], any: conditions.any }),
  }));
}

/** How far a plan narrows the rows: bound fields, then a range, as the choice of an index weighs them. */
function narrowing(plan: Plan): number {
  switch (plan.kind) {
    case 'point':
      return Infinity;
    case 'index':
      return 4 * plan.bound + (plan.tailed ? 2 : 0);
    case 'intersection':
      return 4 * plan.indexes.length;
    case 'text':
    case 'given':
      return Infinity;
    case 'table':
      return plan.tailed ? 3 : 0;
    case 'union':
      return Math.min(...plan.branches.map((branch) => narrowing(branch.plan)));
  }
}
