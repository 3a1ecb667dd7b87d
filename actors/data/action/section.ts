/** One section of an action: its statement as it is declared, and compiled over the schema that is served now. */
import type { ActionParameter, ActionSection } from '#config/definitions/product.ts';
import type { Rule } from '#actors/kit/rule.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { compileSql } from '#actors/engine/sql/compile.ts';
import type { CompiledSql } from '#actors/engine/sql/compiled.ts';
import { SqlDefinitionError, type SqlSource } from '#actors/engine/sql/place.ts';
import { servedTables } from '#actors/engine/sql/schema.ts';

type ModelOf = (entity: string) => EntityModel | undefined;

export interface DeclaredSection {
  readonly section: ActionSection;
  readonly params: Readonly<Record<string, ActionParameter>>;
  /** Compiled over the declared schema: what the list of actions shows. */
  readonly sql: CompiledSql;
  /** Decides which callers may call it; null: superadmins only. */
  readonly rule: Rule | null;
}

interface Served {
  readonly models: readonly (EntityModel | undefined)[];
  readonly sql: CompiledSql | null;
}

export class SectionOfAction implements DeclaredSection {
  readonly section: ActionSection;
  readonly params: DeclaredSection['params'];
  readonly sql: CompiledSql;
  readonly rule: Rule | null;
  readonly #text: string;
  readonly #source: SqlSource;
  #served: Served | null = null;

  constructor({ section, params, sql, rule }: DeclaredSection, text: string, source: SqlSource) {
    this.section = section;
    this.params = params;
    this.sql = sql;
    this.rule = rule;
    this.#text = text;
    this.#source = source;
  }

  /**
   * The statement over the models of now, compiled by the first call over them: compiling every statement after each step of a plan would hold
   * the host far too long. Null while the schema that it needs is not stored yet.
   */
  served(model: ModelOf): CompiledSql | null {
    const models = this.sql.entities.map(model);
    const { entities } = this.sql;
    if (this.#served === null || entities.some((_, at) => this.#served!.models[at] !== models[at]))
      this.#served = { models, sql: this.#compile(model) };
    return this.#served.sql;
  }

  #compile(model: ModelOf): CompiledSql | null {
    try {
      return compileSql(this.#text, servedTables({ get: model }), this.#source);
    } catch (error) {
      if (error instanceof SqlDefinitionError) return null;
      throw error;
    }
  }
}
