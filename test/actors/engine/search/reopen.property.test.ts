/** A text index over a real archive that is left without a shutdown and opened again: it fits the rows, whatever was durable. */
import { cpSync } from 'node:fs';
import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { deleteRow } from '#actors/engine/rows/delete.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import { decodeSlots } from '#actors/engine/rows/store.ts';
import { updateRow } from '#actors/engine/rows/update.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { expectText } from '#test/kit/text-check.ts';
import { testSeed } from '#test/kit/seed.ts';
import { openAt, place } from '#test/storage/place.ts';
import type { Store } from '#storage/port.ts';

const seed = testSeed();
const product = productOf([
  entityOf(
    'note',
    { id: { type: 'string' }, title: { type: 'string' } },
    { search: { fields: ['title'], language: 'english', stopWords: [] } },
  ),
]);

const title = fc.array(fc.constantFrom('run', 'running', 'zoo', 'x', 'été'), { maxLength: 5 });
const change = fc.record({
  kind: fc.constantFrom('create' as const, 'create' as const, 'update' as const, 'purge' as const),
  id: fc.integer({ min: 0, max: 30 }).map((no) => `n${no}`),
  title: title.map((words) => words.join(' ')),
});
const turns = fc.array(fc.array(change, { minLength: 1, maxLength: 8 }), { minLength: 3, maxLength: 12 });

/** Writes turn by turn; waits for the disk only at the end, so that LMDB has some of the turns and the journal the others. */
async function write(
  store: Store,
  engine: Engine,
  all: readonly (typeof change extends fc.Arbitrary<infer T> ? T : never)[][],
) {
  const model = engine.models.get('note')!;
  const at = asRequest('note');
  let written = 0;
  let newest = 0;
  for (const changes of all) {
    const turn = store.begin();
    const session = { ...engine.session(), turn: () => turn };
    for (const { kind, id, title: words } of changes) {
      const done =
        kind === 'create'
          ? createRow(session, model, { id, title: words }, at)
          : kind === 'update'
            ? updateRow(session, model, id, { title: words }, at)
            : deleteRow(session, model, id, true, at);
      if (!isFailure(await done)) written++;
    }
    if (turn.dirty) turn.commit();
    newest = Math.max(newest, turn.newest);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await new Promise<void>((resolve) => store.whenDurable(newest, resolve));
  return written;
}

function check(store: Store, engine: Engine): number {
  const model = engine.models.get('note')!;
  const turn = store.begin();
  const { from, to } = tableRange(model.table);
  const rows = [...turn.range(from, to)].map(({ key, value }) => ({
    id: key.slice(from.length),
    slots: model.pad(decodeSlots(value)),
  }));
  expectText(turn, model.text!, rows);
  turn.abort();
  return rows.length;
}

test(`an index that was not closed fits its rows again (seed ${seed})`, async () => {
  const seen = { rows: 0, written: 0 };
  const property = fc.asyncProperty(turns, turns, async (before, after) => {
    const engine = new Engine(product);
    const [first, second] = [place(), place()];
    const left = await openAt(first);
    seen.written += await write(left.store(0, 1), engine, before);
    // The directory as a process that dies now would leave it.
    cpSync(first, second, { recursive: true });
    await left.close();
    const again = await openAt(second);
    const store = again.store(0, 1);
    seen.rows += check(store, engine);
    seen.written += await write(store, engine, after);
    check(store, engine);
    await again.close();
  });
  await fc.assert(property, { numRuns: 15, seed });
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(20);
}, 120_000);
