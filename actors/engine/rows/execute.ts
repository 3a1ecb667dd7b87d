/** Runs a plan: takes candidates in key order, checks every predicate on each row, keeps the rows of the page. */
import { hasFuelForRow } from '#actors/kit/pace/fuel.ts';
import { candidatesOf, type Candidates } from './candidates.ts';
import type { Slots } from './codec.ts';
import { filterOf, sorterOf, windowOf, type Admits } from './filter.ts';
import { isCut } from './keys/store.ts';
import type { EntityModel, IndexModel } from './model.ts';
import type { Budget } from '#actors/kit/pace/budget.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import { Collector, type Page } from './page.ts';
import type { Plan } from './access-path.ts';
import type { Query } from './query.ts';
import type { Reader } from './store.ts';

/** Candidates between two checks of the budget. */
const STRIDE = 16;

/** One run of a query over one view. It can stop after any number of candidates and go on later. */
export class Scan {
  readonly #candidates: Candidates;
  readonly #filter: Admits;
  readonly #visible: Admits | null;
  readonly #window: Admits | null;
  readonly #collector: Collector;
  /** The indexes that give the order of the page; none when rows are sorted. */
  readonly #relied: readonly IndexModel[];
  /** Whether the plan's order may be wrong, because an index key was cut: the query must be run again with a sort. */
  inexact = false;

  /** `visible` admits the rows that access rules and row rules allow; null when they allow all. */
  constructor(reader: Reader, model: EntityModel, query: Query, plan: Plan, visible: Admits | null) {
    this.#candidates = candidatesOf(reader, model, query, plan, (slots) => this.#admits(slots), visible === null);
    this.#filter = filterOf(model, query);
    this.#visible = visible;
    this.#window = windowOf(model, query);
    this.#relied = plan.ordered ? indexesOf(plan) : [];
    this.#collector = new Collector(query, plan.ordered ? null : sorterOf(model, query));
  }

  /** Looks at up to `max` candidates, fewer where they have burned the slice's fuel; true when the page is complete. */
  advance(max: number): boolean {
    for (let seen = 0; seen < max && !this.#collector.full; seen++) {
      if (!hasFuelForRow()) return false;
      const row = this.#candidates.next();
      if (row === undefined) return true;
      this.#collector.looked++;
      if (row === null || !this.#admits(row.slots)) continue;
      this.#collector.matches++;
      if (this.#window === null || this.#window(row.slots)) this.#collector.add(row);
    }
    return this.#collector.full;
  }

  #admits(slots: Slots): boolean {
    if (!this.#filter(slots) || (this.#visible !== null && !this.#visible(slots))) return false;
    for (const index of this.#relied) if (isCut(index, slots)) this.inexact = true;
    return true;
  }

  /** The page, when it is complete. */
  page(pace: Budget): Steps<Page> {
    return this.#collector.page(pace);
  }

  close(): void {
    this.#candidates.end();
  }
}

function indexesOf(plan: Plan): readonly IndexModel[] {
  if (plan.kind === 'union') return plan.branches.flatMap((branch) => indexesOf(branch.plan));
  return plan.kind === 'index' ? [plan.index] : [];
}

/** Runs a plan to its end; null when its order turned out not to be the wanted one. */
export function* runPlan(
  reader: Reader,
  pace: Budget,
  model: EntityModel,
  query: Query,
  plan: Plan,
  visible: Admits | null,
): Steps<Page | null> {
  const scan = new Scan(reader, model, query, plan, visible);
  try {
    while (!scan.advance(STRIDE)) if (pace.spend(STRIDE)) yield;
    return scan.inexact ? null : yield* scan.page(pace);
  } finally {
    scan.close();
  }
}
