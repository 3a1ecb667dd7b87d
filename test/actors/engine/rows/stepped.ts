/** A plan run below its planner: some candidates at a time, over the engine's own turn. */
import { expect } from 'vitest';
import { limits } from '#config/limits.ts';
import type { Plan } from '#actors/engine/rows/access-path.ts';
import type { StoredRow } from '#actors/engine/rows/codec.ts';
import { Scan } from '#actors/engine/rows/execute.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { Budget } from '#actors/kit/pace/budget.ts';
import type { Query } from '#actors/engine/rows/query.ts';
import type { Engine } from '#test/kit/data-session.ts';

/** More looks than any test has candidates: a scan that goes round for ever fails instead. */
const LOOKS_MAX = 10_000;

/** The page of a plan, found by `by` candidates at a time; null when its order turned out not to be the wanted one. */
export function stepped(
  { engine, model }: { readonly engine: Engine; readonly model: EntityModel },
  asked: Query,
  plan: Plan,
  by: number,
): readonly StoredRow[] | null {
  const scan = new Scan(engine.turn, model, asked, plan, null);
  let looks = 0;
  while (!scan.advance(by)) expect(looks++, 'looks of a scan').toBeLessThan(LOOKS_MAX);
  scan.close();
  if (scan.inexact) return null;
  const steps = scan.page(
    new Budget(engine.session().clock, { sliceReadMsMax: limits.data.sliceMsMax, sliceRowsMax: 1 }),
  );
  let done = steps.next();
  while (done.done !== true) done = steps.next();
  return done.value.rows;
}
