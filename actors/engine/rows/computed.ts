/** Fields that are computed where a request names them (docs/contract/data-definitions.md §1.13). */
import type { EntityDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { FIELD_TYPES, type StoredType } from '#config/values/field-types.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Mask } from '#actors/kit/mask.ts';
import { fuelled, fuelLeft, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { attempt, type PartFault } from '#actors/kit/part-fault.ts';
import { compileFieldsValue, DefinitionError, type RowValue } from '#actors/kit/rule.ts';
import { shaperOf, type Row, type Slots } from './codec.ts';

interface Stored {
  readonly name: string;
  readonly at: number;
  readonly mask: Mask | null;
}

export interface Computed {
  readonly name: string;
  readonly type: StoredType;
  /** The stored fields that it is computed from: a caller that does not read all of them does not read it. */
  readonly reads: ReadonlySet<string>;
  /** Its value for a row as rules see it; null where the expression fails, costs too much, or gives no value of the type. Throws OutOfFuel when the turn's fuel is gone. */
  readonly ofRow: (row: Row) => unknown;
  readonly ofSlots: (slots: Slots) => unknown;
}

export type ComputedFields = ReadonlyMap<string, Computed>;

/** Shared by nearly all entities. */
export const NONE_COMPUTED: ComputedFields = new Map();

/** Compiles the computed fields of an entity. One that does not compile is not served. `columns`: what is stored and served. */
export function computedOf(
  { name: entity, computed }: EntityDefinition,
  columns: readonly Stored[],
  faults: PartFault[] | null,
): ComputedFields {
  if (computed === undefined) return NONE_COMPUTED;
  const fields = Object.entries(computed).flatMap(([name, { type, rule, where = entity }]) => {
    const part = `computed field ${name} of the entity ${entity}`;
    const made = attempt(part, where, faults, () => compiled(name, type as StoredType, rule, where, columns));
    return made === null ? [] : [[name, made] as const];
  });
  return new Map(fields);
}

function compiled(name: string, type: StoredType, rule: string, where: string, columns: readonly Stored[]): Computed {
  const { value, reads } = compileFieldsValue(rule, where);
  for (const read of reads) {
    const column = columns.find((one) => one.name === read);
    if (column === undefined)
      throw new DefinitionError(
        where,
        `there is no stored field "${read}"; ${suggestion(
          read,
          columns.map((one) => one.name),
        )}`,
      );
    if (column.mask !== null)
      throw new DefinitionError(where, `${read} is masked: a computed field would show what the mask hides`);
  }
  const ofRow = (row: Row): unknown => valueOf(value, type, row);
  const shape = shaperOf(columns.filter((column) => reads.has(column.name)));
  return { name, type, reads, ofRow, ofSlots: (slots) => ofRow(shape(slots)) };
}

function valueOf(value: RowValue, type: StoredType, row: Row): unknown {
  const isWhole = fuelLeft() >= limits.data.computedUnits;
  try {
    return typed(
      type,
      fuelled(limits.data.computedUnits, () => value(row)),
    );
  } catch (error) {
    if (error instanceof OutOfFuel && !isWhole) throw error;
    return null;
  }
}

/** Integers of CEL have 64 bits, its instants are dates. */
function typed(type: StoredType, value: unknown): unknown {
  const { of, ofText } = FIELD_TYPES[type];
  const plain = typeof value === 'bigint' ? String(value) : value instanceof Date ? value.toISOString() : value;
  const own = of(plain);
  if (own !== undefined || typeof value !== 'bigint') return own ?? null;
  return ofText?.(String(value)) ?? null;
}
