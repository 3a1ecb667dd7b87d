/** One select while it is compiled: its relations, the selects around it, and the names that can be resolved. */
import { limits } from '#config/limits.ts';
import { Relation, type OuterRead, type Output, type Plan } from './relation.ts';
import type { Aggregation } from '../expression/grouping.ts';
import type { SqlTable } from '../schema.ts';

export interface Named {
  readonly level: Level;
  readonly relation: Relation;
  readonly column: Output;
}

export class Level {
  readonly parent: Level | null;
  readonly depth: number;
  readonly relations: Relation[] = [];
  /** The subqueries of its expressions. */
  readonly subqueries: Plan[] = [];
  /** The number of slots of a tuple. */
  width = 0;
  /** Depths of the outer selects whose rows its expressions read. */
  readonly outerDepths = new Set<number>();
  /** What they read of them, by depth and slot: rows of it that are equal in these give the same result. */
  readonly outerReads = new Map<string, OuterRead>();
  /** The aggregation, once its rows are grouped: it says which columns may be read then. */
  grouping: Aggregation | null = null;

  constructor(parent: Level | null) {
    this.parent = parent;
    this.depth = parent === null ? 0 : parent.depth + 1;
  }

  readonly takeSlot = (): number => this.width++;

  /** Notes that the select reads a slot of an outer one. */
  reads(read: OuterRead): void {
    this.outerDepths.add(read.depth);
    this.outerReads.set(`${read.depth} ${read.slot}`, read);
  }

  /** Null when there are too many, or the alias is taken. */
  add(alias: string, source: SqlTable | Plan, columns: readonly Output[]): Relation | null {
    if (this.relations.length === limits.sql.relationsMax || this.relations.some((other) => other.alias === alias))
      return null;
    const relation = new Relation(alias, source, columns, this.relations.length, this.takeSlot);
    this.relations.push(relation);
    return relation;
  }

  /** The columns that a name can stand for, in the nearest select that has one. */
  find(qualifier: string | null, name: string): readonly Named[] {
    const here = this.relations
      .filter((relation) => qualifier === null || relation.alias === qualifier)
      .flatMap((relation) => {
        const column = relation.column(name);
        return column === undefined ? [] : { level: this, relation, column };
      });
    if (here.length > 0) return here;
    const scalar =
      qualifier === null ? this.relations.find(({ isScalar, alias }) => isScalar && alias === name) : undefined;
    if (scalar !== undefined) return [{ level: this, relation: scalar, column: scalar.columns[0]! }];
    return this.parent === null ? [] : this.parent.find(qualifier, name);
  }

  /** All names that can be used here, for suggestions. */
  names(qualifier: string | null): string[] {
    const here = this.relations
      .filter((relation) => qualifier === null || relation.alias === qualifier)
      .flatMap((relation) => relation.columns.map(({ name }) => name));
    return here.concat(this.parent?.names(qualifier) ?? []);
  }
}
