/** What a script asks of the data, below the wire. */
import { expect, test } from 'vitest';
import { operate } from '#actors/data/endpoint/operations.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { limits } from '#config/limits.ts';
import { Engine } from '#test/kit/data-session.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';

const product = productOf([
  entityOf('parent', { name: { type: 'string' } }),
  entityOf('child', { parent_id: { type: 'ref', ref: { entity: 'parent', on_delete: 'cascade' } } }),
]);

function family(children: number): { readonly engine: Engine; readonly parent: string } {
  const engine = new Engine(product);
  const make = (entity: string, row: object): string =>
    (JSON.parse(operate(engine.session(), 'POST', 'db.create', [entity, row]) as string) as { id: string }).id;
  const parent = make('parent', { name: 'p' });
  for (let i = 0; i < children; i++) make('child', { parent_id: parent });
  engine.end(true);
  return { engine, parent };
}

const left = (engine: Engine, entity: string): number =>
  (JSON.parse(operate(engine.session(), 'GET', 'db.query', [entity, { limit: 1000 }]) as string) as unknown[]).length;

test('a delete that fits a turn is made', () => {
  const { engine, parent } = family(20);
  expect(operate(engine.session(), 'POST', 'db.delete', ['parent', parent])).toContain(parent);
  engine.end(true);
  expect(left(engine, 'child')).toBe(0);
});

test('one that does not is refused, holds nothing, and goes on in no later turn', async () => {
  const { engine, parent } = family(limits.data.turnStepsMax + 50);
  const given = operate(engine.session(), 'POST', 'db.delete', ['parent', parent]);
  expect(isFailure(given) ? given.status : given).toBe(422);
  engine.end(false);
  expect([engine.holds, engine.yields]).toEqual([0, 0]);
  await new Promise((resolve) => void setImmediate(resolve));
  engine.end(true);
  expect(left(engine, 'child')).toBe(limits.data.turnStepsMax + 50);
});

test('names that a script made up are cut in the message that it gets', () => {
  const { engine } = family(0);
  for (const given of [
    operate(engine.session(), 'POST', 'db.get', ['x'.repeat(10_000), 1]),
    operate(engine.session(), 'POST', 'db.query', ['child', { ['x'.repeat(10_000)]: 1 }]),
  ])
    expect(JSON.stringify(given).length).toBeLessThan(400);
});
