/** Which field each column of a file fills. Pure. */
import type { EntityDoc } from './shapes.ts';
import { isEditable } from './value.ts';

/** By the columns in their order; null where a column is left out. */
export type ColumnMap = readonly (string | null)[];

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** The fields that a file may fill. */
export const fillable = (entity: EntityDoc): string[] =>
  entity.fields.filter((field) => isEditable(field) || field.name === entity.primary_key).map(({ name }) => name);

/** Fields by the names of columns: equal ones first, then those that differ in case and marks alone. No field is filled twice. */
export function mapOf(columns: readonly string[], entity: EntityDoc): ColumnMap {
  const names = fillable(entity);
  const map: (string | null)[] = columns.map((column, at) =>
    names.includes(column) && columns.indexOf(column) === at ? column : null,
  );
  columns.forEach((column, at) => {
    if (map[at] !== null) return;
    map[at] = names.find((name) => !map.includes(name) && plain(name) === plain(column) && plain(name) !== '') ?? null;
  });
  return map;
}

/** The map with one column at another field; the column that had it is left out. */
export const mapped = (map: ColumnMap, column: number, field: string | null): ColumnMap =>
  map.map((name, at) => (at === column ? field : name === field ? null : name));
