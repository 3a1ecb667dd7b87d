/** The tables that a statement may name: a product's entities as they are declared, or as they are served. */
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { EntityModel } from '../rows/model.ts';
import type { Models } from '../rows/models.ts';
import { desiredEntity } from '../schema/desired.ts';
import type { StoredType } from '../schema/stored.ts';

export interface SqlColumn {
  readonly name: string;
  readonly type: StoredType;
  /** Set by the service: a statement may read it, not set it. */
  readonly marker: boolean;
}

export interface SqlTable {
  readonly name: string;
  /** The key first, then fields in their order, then markers of the traits. */
  readonly columns: readonly SqlColumn[];
  readonly key: string;
  /** Sets of columns that are unique together, the key among them: those that `on conflict` may name. */
  readonly unique: readonly (readonly string[])[];
}

export interface SqlSchema {
  get(entity: string): SqlTable | undefined;
  /** All names, for suggestions to a misspelt one. */
  readonly names: readonly string[];
}

const MARKERS = {
  timestamps: [
    ['created_at', 'datetime'],
    ['updated_at', 'datetime'],
  ],
  soft_delete: [
    ['deleted_at', 'datetime'],
    ['deleted_by', 'string'],
  ],
  versioned: [['version', 'integer']],
} as const satisfies Record<string, readonly (readonly [string, StoredType])[]>;

/** The entities as a product declares them, for checks at load; the pairs of links are no table. Throws DefinitionError for an entity that makes no schema. */
export function declaredTables(product: ProductDefinition): SqlSchema {
  const named = Object.entries(product.entities).filter(([, { pairsOf }]) => pairsOf === undefined);
  const entities = new Map(named);
  return tables([...entities.keys()], (name) => {
    const entity = entities.get(name);
    return entity === undefined ? undefined : declaredTable(product, entity);
  });
}

/** Makes each table at its first use: a product has hundreds, a statement names a few. */
function tables(names: readonly string[], make: (name: string) => SqlTable | undefined): SqlSchema {
  const made = new Map<string, SqlTable | undefined>();
  const get = (name: string): SqlTable | undefined => {
    if (!made.has(name)) made.set(name, make(name));
    return made.get(name);
  };
  return { names, get };
}

function declaredTable(product: ProductDefinition, entity: ProductDefinition['entities'][string]): SqlTable {
  const { fields, indexes } = desiredEntity(product, entity);
  const markers = (['timestamps', 'soft_delete', 'versioned'] as const)
    .filter((trait) => entity.traits.includes(trait))
    .flatMap((trait) => MARKERS[trait].map(([name, type]) => ({ name, type, marker: true })));
  const columns = [...fields.map(({ name, type }) => ({ name, type, marker: false })), ...markers];
  const unique = indexes.filter((index) => index.unique).map((index) => index.fields);
  return { name: entity.name, columns, key: fields[0]!.name, unique: [[fields[0]!.name], ...unique] };
}

/** The entities as they are served. */
export function servedTables(models: Pick<Models, 'get'>, names: readonly string[] = []): SqlSchema {
  return tables(names, (name) => {
    const model = models.get(name);
    return model === undefined ? undefined : servedTable(model);
  });
}

function servedTable(model: EntityModel): SqlTable {
  const columns = model.columns.map(({ name, type, marker }) => ({ name, type, marker }));
  const unique = model.indexes.filter((index) => index.unique).map(({ names }) => names);
  return { name: model.name, columns, key: model.key.name, unique: [[model.key.name], ...unique] };
}
