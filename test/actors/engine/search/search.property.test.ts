/** Searches against an oracle that knows nothing of an index (oracle.ts), over random writes; what the index stores is checked, too. */
import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { deleteRow } from '#actors/engine/rows/delete.ts';
import { isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { query } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import { restoreRow } from '#actors/engine/rows/restore.ts';
import { updateRow } from '#actors/engine/rows/update.ts';
import { parseWords } from '#actors/engine/search/parse-words.ts';
import { decodeSlots } from '#actors/engine/rows/store.ts';
import { tableRange } from '#actors/engine/rows/keys/store.ts';
import { ANONYMOUS } from '#actors/protocol/principal.ts';
import { entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { expectText } from '#test/kit/text-check.ts';
import { testSeed } from '#test/kit/seed.ts';
import { searched } from './oracle.ts';

const seed = testSeed();

const FIELDS = {
  id: { type: 'string' },
  title: { type: 'string' },
  body: { type: 'text' },
  hidden: { type: 'boolean' },
} as const;
const SEARCHED = {
  traits: ['soft_delete'],
  search: { fields: ['title', 'body'], language: 'english', stopWords: ['the', 'a'] },
} as const;
const product = productOf([
  entityOf('note', FIELDS, SEARCHED),
  entityOf('secret', FIELDS, { ...SEARCHED, rowRule: "row.hidden != true || 'editor' in principal.roles" }),
]);

const WORDS = [
  'the',
  'a',
  'run',
  'running',
  'runs',
  'Runner',
  'straße',
  'STRASSE',
  'x',
  'été',
  'e\u0301te\u0301',
  'zoo',
  'zoom',
  '東京',
  '3.14',
];
const word = fc.constantFrom(...WORDS);
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
const value = fc.option(text, { freq: 5 });
const id = fc.integer({ min: 0, max: 6 }).map((no) => `n${no}`);
const change = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('create' as const), id, title: value, body: value, hidden: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('update' as const), id, title: value, body: value, hidden: fc.boolean() }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'delete' as const,
        'delete' as const,
        'purge' as const,
        'restore' as const,
        'restore' as const,
      ),
      id,
    }),
  },
);
const term = fc.oneof(
  { weight: 5, arbitrary: word },
  { weight: 1, arbitrary: fc.constantFrom('ru*', 'zo*', 'z*', 'the*') },
);
const phrase = fc.array(word, { minLength: 2, maxLength: 3 }).map((words) => `"${words.join(' ')}"`);
const asked = fc
  .array(fc.oneof({ weight: 5, arbitrary: term }, { weight: 1, arbitrary: phrase }), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(' '));
const round = fc.array(
  fc.record({
    changes: fc.array(change, { minLength: 1, maxLength: 20 }),
    commits: fc.boolean(),
    asked: fc.array(asked, { minLength: 2, maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 5 },
);

const scenario = fc.tuple(fc.constantFrom('note', 'secret'), round);

interface Row {
  readonly id: string;
  title: string | null;
  body: string | null;
  hidden: boolean;
  deleted: boolean;
}
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Does the same to the engine and to a map of rows. */
function apply(engine: Engine, model: EntityModel, rows: Map<string, Row>, one: Change): boolean {
  const session = engine.session();
  const { kind, id: key } = one;
  const row = rows.get(key);
  const { title = null, body = null, hidden = false } = 'title' in one ? one : {};
  const at = asRequest(model.name);
  const done =
    kind === 'create'
      ? createRow(session, model, { id: key, title, body, hidden }, at)
      : kind === 'update'
        ? updateRow(session, model, key, { title, body, hidden }, at)
        : kind === 'restore'
          ? restoreRow(session, model, key, at)
          : deleteRow(session, model, key, kind === 'purge', at);
  if (done instanceof Promise) throw new Error('a write of one row does not wait');
  if (isFailure(done)) return false;
  if (kind === 'create') rows.set(key, { id: key, title, body, hidden, deleted: false });
  else if (kind === 'update') Object.assign(row!, { title, body, hidden });
  else if (kind === 'purge') rows.delete(key);
  else row!.deleted = kind === 'delete';
  return true;
}

const found = (engine: Engine, model: EntityModel, words: string, principal = USER, parts = {}): string[] => {
  const parsed = parseWords(model.text!, words, false);
  if (isFailure(parsed)) throw new Error(parsed.message);
  const asking = query(model.name, { limit: 100, ...parts, text: parsed });
  const answer = findRows(engine.session(principal), model, asRequest(model.name), () => asking) as Found | Failure;
  if (isFailure(answer)) throw new Error(answer.message);
  return answer.rows.map(({ slots }) => slots[model.key.at] as string);
};

describe(`searches (seed ${seed})`, () => {
  test('find what the oracle finds, in the order of its ranks, after any writes', () => {
    const seen = { found: 0, several: 0, prefix: 0, phrase: 0, restored: 0, dropped: 0, hidden: 0, emptied: 0 };
    const property = fc.property(scenario, ([entity, rounds]) => {
      const engine = new Engine(product);
      const model = engine.models.get(entity)!;
      let rows = new Map<string, Row>();
      for (const { changes, commits, asked: texts } of rounds) {
        const before = structuredClone(rows);
        for (const one of changes) if (apply(engine, model, rows, one) && one.kind === 'restore') seen.restored++;
        engine.end(commits);
        if (!commits) {
          rows = before;
          seen.dropped++;
        }
        const live = [...rows.values()].filter(({ deleted }) => !deleted);
        for (const words of texts) check(engine, model, live, words);
        checkStored(engine, model);
      }
      for (const row of rows.values()) apply(engine, model, rows, { kind: 'purge', id: row.id });
      engine.end(true);
      checkEmpty(engine, model);
      seen.emptied++;
    });

    const check = (engine: Engine, model: EntityModel, live: readonly Row[], words: string): void => {
      const parsed = parseWords(model.text!, words, false);
      if (isFailure(parsed)) throw new Error(parsed.message);
      const texts = live.map(({ id: key, title, body }) => ({ id: key, texts: [title ?? '', body ?? ''] }));
      const expected = searched(model.text!.analyser, texts, parsed, model.name === 'note');
      const ids = found(engine, model, words);
      expect(ids.toSorted()).toEqual(expected.map((one) => one.id).toSorted());
      const ranks = new Map(expected.map((one) => [one.id, one.rank]));
      // Equal ranks may come out in either order: sums of floating-point numbers depend on theirs.
      for (let i = 1; i < ids.length; i++) expect(ranks.get(ids[i]!)! - ranks.get(ids[i - 1]!)!).toBeLessThan(1e-9);
      expect(found(engine, model, words, USER, { limit: 2, offset: 1 })).toEqual(ids.slice(1, 3));
      const open = new Set(live.flatMap((row) => (row.hidden && model.name === 'secret' ? [] : row.id)));
      const seenByOthers = found(engine, model, words, ANONYMOUS);
      expect(seenByOthers.toSorted()).toEqual(ids.filter((one) => open.has(one)).toSorted());
      const byId = found(engine, model, words, USER, { order: [{ kind: 'order', field: 'id', descending: true }] });
      expect(byId).toEqual(ids.toSorted().toReversed());
      if (ids.length > 0) seen.found++;
      if (ids.length > 1) seen.several++;
      if (ids.length > 0 && words.includes('*')) seen.prefix++;
      if (ids.length > 0 && words.includes('"')) seen.phrase++;
      if (seenByOthers.length < ids.length) seen.hidden++;
    };
    fc.assert(property, { numRuns: 200, seed });
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(20);
  }, 120_000);
});

/** What is stored is what the rows have. */
function checkStored(engine: Engine, model: EntityModel): void {
  const { from, to } = tableRange(model.table);
  const rows = [...engine.turn.range(from, to)].map(({ key, value }) => ({
    id: key.slice(from.length),
    slots: model.pad(decodeSlots(value)),
  }));
  expectText(engine.turn, model.text!, rows);
}

/** Nothing is left of rows that are gone but the statistics. */
function checkEmpty(engine: Engine, model: EntityModel): void {
  const { from, to } = tableRange(model.text!.no);
  expect([...engine.turn.range(from, to)].length).toBeLessThanOrEqual(1);
}
