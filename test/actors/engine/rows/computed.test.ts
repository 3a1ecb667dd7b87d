/** Computed fields: what they give, to which callers, and where they are refused. Docs: docs/contract/data-definitions.md §1.13. */
import { describe, expect, test } from 'vitest';
import { checkNames } from '#actors/engine/rows/input.ts';
import type { FieldFault } from '#actors/kit/field-check.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { jsonWriterOf } from '#actors/engine/rows/json-writer.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import { parseQuery } from '#actors/engine/rows/parse-query.ts';
import { shownColumns } from '#actors/engine/rows/path/select.ts';
import { diffSchema } from '#actors/engine/schema/diff.ts';
import { EMPTY_SCHEMA } from '#actors/engine/schema/store.ts';
import { fuelled, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import type { ComputedDefinition } from '#config/definitions/product.ts';
import type { FieldType } from '#config/values/field-types.ts';
import { limits } from '#config/limits.ts';
import { entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { Engine } from '#test/kit/data-session.ts';

const FIELDS = {
  id: { type: 'string' },
  first: { type: 'string' },
  last: { type: 'string' },
  born: { type: 'date' },
  points: { type: 'integer', roles: { read: ['agent'] } },
  mail: { type: 'string', mask: 'email' },
  tags: { type: 'json' },
} as const;

const computed = (type: FieldType, rule: string): ComputedDefinition => ({
  type,
  language: 'cel',
  rule,
  where: 'e.yaml:9:9',
});

function modelWith(fields: Readonly<Record<string, ComputedDefinition>>): EntityModel {
  return new Engine(productOf([entityOf('person', FIELDS, { computed: fields })])).models.get('person')!;
}

const FULL = computed('string', 'row.first + " " + row.last');
const ROW = { id: 'p', first: 'Ada', last: 'King', born: '1815-12-10', points: 7, mail: 'a@b.c', tags: ['x', 'y'] };

function slotsOf(model: EntityModel, row: Readonly<Record<string, unknown>> = ROW): unknown[] {
  const slots: unknown[] = [1, null, null, null, null];
  for (const { name, at } of model.columns) slots[at] = row[name] ?? null;
  return slots;
}

const value = (type: FieldType, rule: string, row?: Readonly<Record<string, unknown>>): unknown => {
  const model = modelWith({ it: computed(type, rule) });
  return model.computed.get('it')!.ofSlots(slotsOf(model, row));
};

describe('its value', () => {
  test.each([
    ['string', 'row.first + " " + row.last', 'Ada King'],
    ['integer', 'size(row.tags)', 2],
    ['integer', 'int(row.points) + 1', 8],
    ['number', 'double(row.points) / 2.0', 3.5],
    ['decimal', 'size(row.first)', '3'],
    ['boolean', '"x" in row.tags && row["first"] == "Ada"', true],
    ['datetime', 'timestamp(row.born + "T00:00:00Z")', '1815-12-10T00:00:00.000Z'],
    ['string', 'row.first', 'Ada'],
    ['integer', 'row.first', null],
  ] as const)('%s: %s', (type, rule, expected) => {
    expect(value(type, rule)).toBe(expected);
  });

  test('is null where the expression fails or costs too much', () => {
    expect(value('string', 'row.first + row.last', { ...ROW, last: null })).toBe(null);
    const long = { ...ROW, tags: Array.from({ length: limits.data.computedUnits }, () => 1) };
    expect(value('integer', 'size(row.tags.map(t, t + 1.0))', long)).toBe(null);
  });

  test('waits for fuel where the turn has less left than it may take', () => {
    const model = modelWith({ full: FULL });
    const { ofSlots } = model.computed.get('full')!;
    expect(fuelled(limits.data.computedUnits, () => ofSlots(slotsOf(model)))).toBe('Ada King');
    expect(() => fuelled(1, () => ofSlots(slotsOf(model)))).toThrow(OutOfFuel);
  });
});

describe('what it may read', () => {
  test.each([
    ['row.mail', 'mail is masked: a computed field would show what the mask hides'],
    ['row.frist', 'there is no stored field "frist"; did you mean "first"?'],
    ['row.other', 'there is no stored field "other"'],
    ['size(row)', 'the expression uses row as a whole'],
    ['row[row.first]', 'the expression uses row as a whole'],
    ['[1].map(row, row + 1)[0]', 'the expression uses row as a whole'],
    ['principal.subject', 'the expression reads principal: it may read row alone'],
    ['row.first +', ''],
  ])('%s is refused with its place', (rule, why) => {
    expect(() => modelWith({ it: computed('string', rule), other: FULL })).toThrow(`e.yaml:9:9: ${why}`);
  });
});

describe('whom it is shown', () => {
  const model = modelWith({ full: FULL, rank: computed('integer', 'row.points') });
  const agent = model.seenBy({ ...USER, roles: ['agent'] });
  const clerk = model.seenBy({ ...USER, roles: ['clerk'] });

  test('it is no field for a caller that does not read all that it is computed from', () => {
    expect([[...agent.computed.keys()], [...clerk.computed.keys()]]).toEqual([['full', 'rank'], ['full']]);
    const asked = parseQuery(clerk, new Parameters(new URLSearchParams('fields=rank')));
    expect(asked).toMatchObject({ status: 422, message: 'person has no field rank' });
  });

  test('where it is named, and not where a row is shown whole', () => {
    expect(model.json(slotsOf(model))).not.toContain('full');
    const asked = parseQuery(model, new Parameters(new URLSearchParams('fields=full,id,rank,tags/0,first')));
    if (isFailure(asked)) throw new Error(asked.message);
    const text = jsonWriterOf(shownColumns(model, asked.select!))(slotsOf(model));
    expect(JSON.parse(text)).toEqual({ full: 'Ada King', id: 'p', rank: 7, 'tags/0': 'x', first: 'Ada' });
  });

  test.each([
    'full=x',
    'orderby=full',
    'groupby=full',
    '[aggregate]=max(full)',
    'full[like]=A%25',
    'fields=full/x',
    '[or]=[{"full":"x"}]',
  ])('%s is refused and says why', (query) => {
    const asked = parseQuery(model, new Parameters(new URLSearchParams(query)));
    expect(isFailure(asked) && [asked.status, asked.message]).toMatchObject([422, expect.stringContaining('full')]);
    if (!query.startsWith('fields')) expect(isFailure(asked) && asked.message).toContain('is computed');
  });
});

test('a write of it is refused; the value that was read may be sent back', () => {
  const model = modelWith({ full: FULL });
  const faultsOf = (input: Record<string, unknown>, before: unknown[] | null): FieldFault[] => {
    const faults: FieldFault[] = [];
    checkNames(model, input, before, faults);
    return faults;
  };
  const refused = [{ field: 'full', code: 'read_only', message: 'is computed' }];
  expect(faultsOf({ full: 'Eve' }, null)).toEqual(refused);
  expect(faultsOf({ full: 'Eve' }, slotsOf(model))).toEqual(refused);
  expect(faultsOf({ full: 'Ada King' }, slotsOf(model))).toEqual([]);
});

test('it is no part of the schema: a plan has no step for it', () => {
  const [plain, more] = [undefined, { full: FULL }].map((fields) =>
    diffSchema(EMPTY_SCHEMA, productOf([entityOf('person', FIELDS, fields && { computed: fields })])),
  );
  expect(more).toEqual(plain);
});
