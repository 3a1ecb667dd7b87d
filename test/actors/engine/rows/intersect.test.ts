/** What two indexes have in common, and what lists of values give in an order: strangers within a range must not disturb either. */
import { expect, it } from 'vitest';
import type { Plan } from '#actors/engine/rows/access-path.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { refinePlan } from '#actors/engine/rows/intersect.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { planQuery } from '#actors/engine/rows/plan.ts';
import { equals, query, type Query } from '#actors/engine/rows/query.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { stepped } from './stepped.ts';

const FIELDS = { s: { type: 'string' }, t: { type: 'string' } } as const;

function filled(rows: readonly { readonly s: string; readonly t: string }[]): { engine: Engine; model: EntityModel } {
  const engine = new Engine(productOf([entityOf('thing', FIELDS, { index: [['s'], ['t']] })]));
  const model = engine.models.get('thing')!;
  for (const row of rows) {
    const written = createRow(engine.session(), model, row, asRequest('thing'));
    if (isFailure(written)) throw new Error(written.message);
    engine.clock.advance(1);
  }
  engine.end(true);
  return { engine, model };
}

/** The values of the page. */
function page(given: ReturnType<typeof filled>, asked: Query, plan: Plan): string[] {
  const { model } = given;
  return stepped(given, asked, plan, 1)!
    .map(({ slots }) => model.shape(slots))
    .map(({ s, t }) => `${String(s)}${String(t)}`);
}

it('an intersection ends, though texts that go on with NUL lie behind the wanted one', () => {
  const strangers = Array.from({ length: 20 }, () => ({ s: 'a\u0000z', t: 'q' }));
  const given = filled([{ s: 'a', t: 'q' }, ...strangers, { s: 'b', t: 'p' }]);
  const asked = query('thing', { where: [equals('s', 'a'), equals('t', 'p')] });
  const plan = refinePlan(planQuery(given.model, asked), () => 1e6);
  expect(plan.kind).toBe('intersection');
  expect(page(given, asked, plan)).toEqual([]);
});

it('ranges are merged by their wanted rows: one that another condition rules out holds nothing back', () => {
  const given = filled([
    { s: 'b', t: 'z' },
    { s: 'b', t: 'p' },
    { s: 'a', t: 'p' },
    { s: 'a', t: 'a' },
  ]);
  const asked = query('thing', {
    where: [{ kind: 'predicate', field: 's', op: 'in', value: ['a', 'b'] }, equals('t', 'p')],
    order: [{ kind: 'order', field: 't', descending: false }],
  });
  const plan = planQuery(given.model, asked);
  const merged = planQuery(given.model, { ...asked, where: asked.where.slice(0, 1), order: [] });
  expect(merged).toMatchObject({ kind: 'index', merged: true });
  expect(page(given, asked, plan)).toEqual(['bp', 'ap']);
  expect(page(given, asked, merged)).toEqual(['bp', 'ap']);
});
