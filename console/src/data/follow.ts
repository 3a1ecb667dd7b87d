/** Which rows of a view are followed, and what is done with what is told of them. Pure. */
import type { EntityDoc, Row } from './shapes.ts';
import { valueOf } from './value.ts';
import type { View } from './view.ts';

/** Operators whose value is one value of the field. */
const PLAIN: ReadonlySet<string> = new Set(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike']);

/** The conditions of a subscription for these rows; null where they are not followed: deleted rows, paths over references, lists of values, an entity whose changes are not kept. */
export function followedOf(
  { changes, fields }: EntityDoc,
  { conditions, deleted }: Pick<View, 'conditions' | 'deleted'>,
): Readonly<Record<string, unknown>> | null {
  if (changes !== true || deleted) return null;
  const all: object[] = [];
  for (const { field: name, op, value } of conditions) {
    const field = fields.find((one) => one.name === name);
    if (field === undefined || (op !== 'null' && !PLAIN.has(op))) return null;
    all.push({ [name]: { [op]: op === 'null' ? value === 'true' : valueOf(value, { ...field, nullable: false }) } });
  }
  return all.length === 0 ? {} : { AND: all };
}

/** A row as it is told of, in place of the one that is shown. The names of what it refers to are kept where the reference is the same. */
export function merged({ relations }: EntityDoc, shown: Row, told: Row): Row {
  const out: Record<string, unknown> = { ...shown };
  for (const [name, value] of Object.entries(told)) if (Object.hasOwn(shown, name)) out[name] = value;
  for (const { name, field } of relations) if (told[field] !== shown[field] && name !== field) delete out[name];
  return out;
}

/** What is told of a row beside a change of its values. */
export type Op = 'came' | 'went';

/** How many of the rows that came or went are not shown so. `has`: whether a row is shown. */
export function unseen(told: ReadonlyMap<string, Op>, has: (id: string) => boolean): number {
  let count = 0;
  for (const [id, op] of told) if (has(id) === (op === 'went')) count++;
  return count;
}
