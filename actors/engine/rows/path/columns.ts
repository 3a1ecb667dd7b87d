/**
 * Values of other rows that a query orders, groups or aggregates by (docs/contract/data.md §5.4.4). A row of the query is widened by them once it is
 * known to match: they stand behind its own slots, as columns of which the rest of the engine knows no more than of its own.
 */
import { failure, isFailure, type Failure } from '../failure.ts';
import type { Slots, StoredRow } from '../codec.ts';
import type { EntityModel } from '../model.ts';
import type { FarColumn } from '../query.ts';
import { unknownField } from '../unknown-field.ts';
import type { Asker } from './asker.ts';
import { parsePath, pathKeyOf } from './parse.ts';

/** How many slots a row has of its own. */
const widthOf = (model: EntityModel): number => model.pad([]).length;

/** The columns of one query, each once. */
export class FarColumns {
  readonly all: FarColumn[] = [];
  readonly #model: EntityModel;
  readonly #asker: Asker | null;

  constructor(model: EntityModel, asker: Asker | null) {
    this.#model = model;
    this.#asker = asker;
  }

  /** The column that `[path]` names; undefined for a name in no brackets. 422 for what the asker may not read; where it is `shown`, under a mask too. */
  named(name: string, shown: boolean): FarColumn | Failure | undefined {
    const key = pathKeyOf(name);
    return key === undefined || key.op !== undefined ? undefined : this.at(key.path, shown);
  }

  /** The same by the path. */
  at(path: string, shown: boolean): FarColumn | Failure {
    const far = parsePath(this.#model, path, this.#asker);
    if (isFailure(far)) return far;
    if (far.inside.length > 0)
      return failure(422, `${path} has no order: it is a part of a json value`, {
        fields: { [path]: ['has no order'] },
      });
    if (shown && far.column.mask !== null) return unknownField(this.#model, path);
    const known = this.all.find(({ name }) => name === path);
    if (known !== undefined) return known;
    const at = widthOf(this.#model) + this.all.length;
    const column: FarColumn = { ...far.column, name: path, at, nullable: true, required: false, far };
    this.all.push(column);
    return column;
  }
}

/** The name without the brackets of a path. */
export function unbracketed(name: string): string {
  return name.replace(/\[([^[\]]+)\]/, '$1');
}

interface Source {
  next(): StoredRow | null | undefined;
  end(): void;
}

/** Rows that match, each with the values of other rows behind its own. */
export class WideCandidates {
  readonly #source: Source;
  readonly #admits: (slots: Slots) => boolean;
  readonly #width: number;
  readonly #columns: readonly FarColumn[];

  constructor(source: Source, admits: (slots: Slots) => boolean, model: EntityModel, columns: readonly FarColumn[]) {
    this.#source = source;
    this.#admits = admits;
    this.#width = widthOf(model);
    this.#columns = columns;
  }

  next(): StoredRow | null | undefined {
    const row = this.#source.next();
    if (row === null || row === undefined) return row;
    return this.#admits(row.slots) ? { ...row, slots: this.#wide(row.slots) } : null;
  }

  #wide(slots: Slots): Slots {
    const wide = slots.slice(0, this.#width);
    for (const { name, at, far } of this.#columns) {
      if (far.read === null) throw new Error(`${name} is not bound to a view`);
      wide[at] = far.read(slots);
    }
    return wide;
  }

  end(): void {
    this.#source.end();
  }
}
