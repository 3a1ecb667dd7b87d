import { describe, expect, test } from 'vitest';
import { describe as described } from '#actors/data/admin/plan/describe.ts';
import type { Change } from '#actors/engine/schema/change.ts';
import { deedOf, harmOf, isDrop, nameOf, safeLevel, type Step } from '#runtime/deploy/plan-words.ts';

const entity = 'ticket';
const field = (rules: object) => ({ name: 'size', type: 'integer', rules, absent: null }) as never;
const alter = { op: 'alter_field', entity, field: 'size', type: 'integer', from: {}, to: {} };
const index = { op: 'add_index', entity, fields: ['size'], unique: false };

/** One of each kind of change, and of each way in which its step is described. */
const CHANGES = [
  { op: 'create_entity', entity, fields: [], traits: [] },
  { op: 'add_field', entity, field: field({ nullable: true }) },
  { op: 'add_field', entity, field: field({ nullable: false, default: 1 }) },
  { ...alter, narrowing: [] },
  { ...alter, narrowing: ['max'] },
  { ...index, fresh: true },
  { ...index, fresh: false },
  { ...index, unique: true, fresh: false },
  { op: 'fill_field', entity, field: 'size', type: 'integer', value: 1 },
  { op: 'retype_field', entity, field: 'size', from: 'string', to: 'integer', rules: {} },
  { op: 'drop_index', entity, fields: ['size'], unique: true },
  { op: 'drop_field', entity, field: 'size' },
  { op: 'drop_entity', entity },
] as unknown as Change[];

const stepOf = (change: Change): Step => ({ Order: 1, ...described(change) });
const steps = CHANGES.map(stepOf);

describe('every kind of step that a plan can have', () => {
  test.each(steps.map((step) => [step.SchemaOp, step] as const))('%s has words', (_op, step) => {
    expect(deedOf(step)).not.toContain('a step of the kind');
    expect(nameOf(step)).toMatch(/^[a-z_]+:ticket(\.\w+)?$/);
  });

  test('what the contract calls high loses or rewrites something, what it calls low does not', () => {
    expect(steps.filter((step) => step.Risk === 'high').every((step) => harmOf(step) !== null)).toBe(true);
    expect(steps.filter((step) => step.Risk === 'low').every((step) => harmOf(step) === null)).toBe(true);
    const harmful = steps.filter((step) => harmOf(step) !== null).map(({ SchemaOp }) => SchemaOp);
    expect(harmful).toEqual(['fill_column', 'alter_column_type', 'drop_index', 'drop_column', 'drop_table']);
    expect(steps.filter(isDrop).map(({ SchemaOp }) => SchemaOp)).toEqual(['drop_index', 'drop_column', 'drop_table']);
  });

  test('a kind that is not known is never safe', () => {
    const unknown = { ...steps[0]!, SchemaOp: 'merge_tables' };
    expect(harmOf(unknown)).toContain('does not know');
    expect(harmOf({ ...unknown, SchemaOp: 'constructor' })).toContain('does not know');
    expect(isDrop(unknown)).toBe(false);
  });
});

test('a level is safe where no step up to it does harm', () => {
  const of = (...ops: string[]): Step[] => steps.filter(({ SchemaOp }) => ops.includes(SchemaOp));
  expect(safeLevel([])).toBe('medium');
  expect(safeLevel(of('create_table', 'create_index', 'drop_table'))).toBe('medium');
  expect(safeLevel(of('create_index', 'fill_column'))).toBe('low');
});
