/** `sort` of a connection: orders by fields of the row, and of the rows that its references name (docs/contract/data.md §5.4.4). */
import { failure, isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Asker } from '#actors/engine/rows/path/asker.ts';
import type { FarColumns } from '#actors/engine/rows/path/columns.ts';
import { hopOf } from '#actors/engine/rows/path/parse.ts';
import type { OrderTerm } from '#actors/engine/rows/query.ts';

/** One field under the relations that lead to it, with its direction. */
export interface Sort {
  readonly [name: string]: Sort | 'asc' | 'desc' | null;
}

/** The terms in the order of the list. 422 for one that names no field or several, and as a path of REST. */
export function termsOfSort(
  model: EntityModel,
  sort: readonly Sort[],
  far: FarColumns,
  asker: Asker,
): OrderTerm[] | Failure {
  const terms: OrderTerm[] = [];
  for (const one of sort) {
    const term = termOf(model, one, far, asker);
    if (isFailure(term)) return term;
    terms.push(term);
  }
  return terms;
}

function termOf(model: EntityModel, sort: Sort, far: FarColumns, asker: Asker): OrderTerm | Failure {
  const path: string[] = [];
  let at: EntityModel = model;
  let level = sort;
  for (;;) {
    const named = Object.entries(level).filter(([, value]) => value !== null);
    if (named.length !== 1)
      return failure(422, 'each object of sort names one field: {title: asc}, {ticket: {title: asc}}', {
        parameter: 'sort',
      });
    const [name, value] = named[0]!;
    if (typeof value === 'string') return leafOf([...path, name], value === 'desc', far);
    // A relation with the name of a field has an underscore behind it.
    const isRenamed = hopOf(at, name, asker) === undefined;
    const relation = isRenamed ? name.replace(/_$/, '') : name;
    at = hopOf(at, relation, asker)?.to ?? at;
    path.push(relation);
    level = value!;
  }
}

function leafOf(path: readonly string[], descending: boolean, far: FarColumns): OrderTerm | Failure {
  const field = path.join('.');
  if (path.length === 1) return { kind: 'order', field, descending };
  const column = far.at(field, false);
  return isFailure(column) ? column : { kind: 'order', field, descending, column };
}
