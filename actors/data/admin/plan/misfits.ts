/** Rows that do not fit a change: how many, and the first of them by id. */
import type { Work } from '#actors/host/work.ts';
import type { FieldFault } from '#actors/kit/field-check.ts';
import { limits } from '#config/limits.ts';
import { takesNull } from '#config/values/constraint.ts';
import { positionOf } from '#actors/engine/rows/codec.ts';
import { idKey, rowKey } from '#actors/engine/rows/keys/store.ts';
import { rowCount } from '#actors/engine/rows/count/store.ts';
import { entityOf, fieldOf } from '#actors/engine/schema/alter.ts';
import type { AlterField, Change, RetypeField } from '#actors/engine/schema/change.ts';
import { converterOf } from '#actors/engine/schema/convert.ts';
import { KEY_FIELD } from '#actors/engine/schema/desired.ts';
import type { FieldRules } from '#actors/engine/schema/rules.ts';
import type { StoredEntity, StoredSchema } from '#actors/engine/schema/stored.ts';
import { scanRows, type SeenRow } from './rows.ts';
import type { Turn } from './store.ts';

/** What is wrong with a row, or null. */
type RowTest = (value: unknown, turn: Turn) => string | null;

interface Found {
  count: number;
  readonly first: string[];
}

/** In words for people, how many rows keep a change from being made; null where every row fits. `filled`: nulls are filled before. */
export async function misfitsOf(
  work: Work,
  schema: StoredSchema,
  change: Change,
  filled = false,
  between?: () => Promise<void>,
): Promise<string | null> {
  if (change.op === 'add_field') return valueless(work, schema, change);
  const test = testOf(schema, change, filled);
  if (test === null) return null;
  const entity = entityOf(schema, change.entity);
  const at = positionOf(fieldOf(entity, test.field).slot);
  const found: Found = { count: 0, first: [] };
  const look = ({ slots, shownId }: SeenRow, turn: Turn): void => {
    const why = test.fails(slots[at], turn);
    if (why === null) return;
    found.count++;
    if (found.first.length < limits.plans.namedRowsMax) found.first.push(`${String(shownId)} (${why})`);
  };
  await scanRows(work, entity, look, between);
  return found.count === 0 ? null : inWords(found, `${change.entity}.${test.field}`);
}

function inWords({ count, first }: Found, field: string): string {
  const more = count > first.length ? ', …' : '';
  return `${count} ${count === 1 ? 'row does' : 'rows do'} not fit ${field}: ${first.join(', ')}${more}`;
}

/** A mandatory field without a default can be added only to an entity without rows. */
function valueless(
  work: Work,
  schema: StoredSchema,
  { entity, field }: Extract<Change, { op: 'add_field' }>,
): string | null {
  if (takesNull(field.rules) || field.absent !== null) return null;
  const rows = countOf(work, entityOf(schema, entity));
  return rows === 0
    ? null
    : `${rows} rows would have no value in ${entity}.${field.name}: declare a default, or let it be null`;
}

/** Rows of an entity, soft-deleted ones among them. */
export function countOf(work: Work, { table }: StoredEntity): number {
  const turn = work.activation.store.begin();
  const { live, deleted } = rowCount(turn, table);
  work.saw(turn.newest);
  turn.abort();
  return live + deleted;
}

function testOf(
  schema: StoredSchema,
  change: Change,
  filled: boolean,
): { readonly field: string; readonly fails: RowTest } | null {
  if (change.op === 'retype_field')
    return { field: change.field, fails: failing(change, change.rules, change.to, schema, false) };
  if (change.op !== 'alter_field' || change.narrowing.length === 0) return null;
  return { field: change.field, fails: failing(change, change.to, change.type, schema, filled) };
}

function failing(
  { entity, field }: AlterField | RetypeField,
  rules: FieldRules,
  type: AlterField['type'],
  schema: StoredSchema,
  filled: boolean,
): RowTest {
  const convert = converterOf(field, type, rules, `${entity}.${field}`);
  const target = rules.ref === undefined ? undefined : schema.entities.find(({ name }) => name === rules.ref!.entity);
  return (value, turn) => {
    if (filled && value === null) return null;
    const faults: FieldFault[] = [];
    const now = convert(value, faults);
    if (faults.length > 0) return faults[0]!.message;
    if (target === undefined || now === null) return null;
    return turn.get(rowKey(target.table, idKey(keyType(target), now))) === undefined
      ? `no row of ${target.name}`
      : null;
  };
}

const keyType = (entity: StoredEntity): AlterField['type'] => fieldOf(entity, KEY_FIELD).type;
