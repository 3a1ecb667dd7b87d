import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { fuelled, fuelLeft, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import { query } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import { parseWords } from '#actors/engine/search/parse-words.ts';
import { statisticsOf } from '#actors/engine/search/store.ts';
import { encodeRecord } from '#storage/record.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';

const FIELDS = { id: { type: 'string' }, title: { type: 'string' }, pages: { type: 'integer' } } as const;
const SEARCH = { fields: ['title'], language: 'none', stopWords: [] } as const;

function engineOf() {
  const engine = new Engine(productOf([entityOf('note', FIELDS, { search: SEARCH }), entityOf('plain', FIELDS)]));
  return { engine, model: engine.models.get('note')! };
}
const create = (engine: Engine, entity: string, id: string, title: string): unknown =>
  createRow(engine.session(), engine.models.get(entity)!, { id, title }, asRequest(entity));

function idsOf(engine: Engine, words: string): unknown[] {
  const model = engine.models.get('note')!;
  const text = parseWords(model.text!, words, false);
  if (isFailure(text)) throw new Error(text.message);
  const asked = query('note', { limit: 10, text });
  const found = findRows(engine.session(), model, asRequest('note'), () => asked) as Found;
  return found.rows.map(({ slots }) => slots[model.key.at]);
}

/** The next row takes this document number. */
function countUpTo({ engine, model }: ReturnType<typeof engineOf>, next: number): void {
  engine.turn.put(`${tableRange(model.text!.no).from}\x01`, encodeRecord(1, [next, 0, 0]));
  engine.end(true);
}

test('the highest document number is given and found, and none behind it', () => {
  const made = engineOf();
  const { engine, model } = made;
  countUpTo(made, limits.search.documentsMax - 1);
  create(engine, 'note', 'a', 'plum');
  create(engine, 'note', 'b', 'plum pear');
  expect(statisticsOf(engine.turn, model.text!).next).toBe(2 ** 32);
  expect(idsOf(engine, 'plum')).toEqual(['a', 'b']);
  expect(() => create(engine, 'note', 'c', 'plum')).toThrow('has given all its document numbers');
  expect(idsOf(engine, 'pear')).toEqual(['b']);
});

test('a text burns fuel by its length and its words before they are entered', () => {
  const { engine } = engineOf();
  const text = Array.from({ length: 500 }, (_, no) => `w${no}`).join(' ');
  const burned = (entity: string): number =>
    fuelled(limits.host.turnUnits, () => {
      const before = fuelLeft();
      create(engine, entity, 'x', text);
      return before - fuelLeft();
    });
  expect(burned('note') - burned('plain')).toBe(text.length + 500 * limits.search.wordUnits);
  engine.end(false);
  expect(() => fuelled(5000, () => create(engine, 'note', 'x', text))).toThrow(OutOfFuel);
});

test('the longest text that is indexed leaves fuel of a turn', () => {
  const { rowCharsMax, rowWordsMax, wordUnits } = limits.search;
  expect(rowCharsMax + rowWordsMax * wordUnits).toBeLessThan(limits.host.turnUnits * 0.5);
});

test('a search burns fuel for the entries that it reads', () => {
  const { engine } = engineOf();
  create(engine, 'note', 'a', 'plum');
  engine.end(true);
  const burned = fuelled(limits.host.turnUnits, () => {
    const before = fuelLeft();
    idsOf(engine, 'plum');
    return before - fuelLeft();
  });
  expect(burned).toBeGreaterThanOrEqual(limits.search.strideEntries * limits.search.entryUnits);
});

test('an entity without a text index stores nothing of one', () => {
  const { engine } = engineOf();
  create(engine, 'plain', 'a', 'plum');
  engine.end(true);
  const plain = engine.models.get('plain')!;
  expect([plain.texts, plain.text]).toEqual([[], null]);
  const { from, to } = tableRange(engine.models.get('note')!.text!.no);
  expect([...engine.turn.range(from, to)]).toEqual([]);
});
