/** Lists of names, terms of orders and counts in parameters, for the rows of a query and for those that it includes. */
import { shown } from '#actors/kit/shown.ts';
import { failure, isFailure, type Failure } from './failure.ts';
import type { EntityModel } from './model.ts';
import type { FarColumns } from './path/columns.ts';
import { parsePart } from './path/select.ts';
import type { OrderTerm } from './query.ts';
import { unknownField } from './unknown-field.ts';

const COUNT = /^\d{1,15}$/;

/** The names of a comma-separated list, without blanks around them. */
export function namesOf(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

interface Term {
  readonly field: string;
  readonly descending: boolean;
}

/** `-field`, `field desc` and `field asc`. */
export function parseTerms(list: string | undefined): Term[] | Failure {
  const terms: Term[] = [];
  for (const item of namesOf(list ?? '')) {
    const descends = item.startsWith('-');
    const [field = '', direction, more] = (descends ? item.slice(1) : item).split(/ +/);
    const word = direction?.toLowerCase();
    if (more !== undefined || (word !== undefined && (descends || (word !== 'asc' && word !== 'desc'))))
      return failure(422, `orderby ${shown(item)} must be field, -field, field asc or field desc`, {
        parameter: 'orderby',
      });
    terms.push({ field, descending: descends || word === 'desc' });
  }
  return terms;
}

/** The second term of a field is dropped, and so is every term after the key. `far`: the columns of other rows that `[path]` may name. */
export function parseOrder(
  model: EntityModel,
  list: string | undefined,
  far: FarColumns | null = null,
): OrderTerm[] | Failure {
  const terms = parseTerms(list);
  if (isFailure(terms)) return terms;
  const order: OrderTerm[] = [];
  for (const { field: written, descending } of terms) {
    const other = far?.named(written, false);
    if (other !== undefined && isFailure(other)) return other;
    const column = other ?? model.column(written);
    if (column === undefined) return unknownField(model, written);
    const field = column.name;
    if (column.compare === null)
      return failure(422, `a ${column.type} has no order`, { fields: { [field]: ['has no order'] } });
    if (order.some((term) => term.field === field)) continue;
    order.push({ kind: 'order', field, descending, ...(other !== undefined && { column: other }) });
    if (field === model.key.name) break;
  }
  return order;
}

/** `others`: what else than columns, and parts of them, may be named. */
export function parseSelect(
  model: EntityModel,
  list: string | undefined,
  others: Names = NONE,
): string[] | null | Failure {
  if (list === undefined) return null;
  const select = [...new Set(namesOf(list))];
  for (const name of select) {
    const fault = model.column(name) === undefined && !others.has(name) ? parsePart(model, name) : null;
    if (isFailure(fault)) return fault;
  }
  return select.length === 0 ? null : select;
}

interface Names {
  has(name: string): boolean;
}

const NONE: Names = { has: () => false };

export function parseCount(parameter: string, text: string | undefined): number | null | Failure {
  if (text === undefined) return null;
  if (!COUNT.test(text)) return failure(422, `${parameter} must be a whole number`, { parameter });
  return Number(text);
}
