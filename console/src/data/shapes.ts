/** What `/data/schema` and lists say (docs/contract/data.md §2.1, §8.1). */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly read_only: boolean;
  readonly ref?: { readonly entity: string };
  readonly enum?: readonly string[];
  readonly mask?: unknown;
  readonly default?: unknown;
  readonly default_from?: string;
}

export interface Relation {
  readonly name: string;
  readonly kind: 'one' | 'many';
  readonly entity: string;
  readonly field: string;
}

export interface EntityDoc {
  readonly name: string;
  readonly primary_key: string;
  readonly traits: readonly string[];
  /** Whether changes are kept for those who follow them. */
  readonly changes?: boolean;
  /** What may ever be allowed to the reader. */
  readonly operations: readonly string[];
  readonly fields: readonly Field[];
  readonly relations: readonly Relation[];
  /** Over one field or several. */
  readonly unique?: readonly (readonly string[])[];
  readonly index?: readonly (readonly string[])[];
}

export interface Schema {
  readonly product: string;
  readonly entities: readonly EntityDoc[];
}

export type Row = Readonly<Record<string, unknown>>;

export interface Envelope {
  readonly data: readonly Row[];
  readonly count: number;
  readonly total?: number;
  readonly page?: {
    readonly has_next_page: boolean;
    readonly end_cursor: string | null;
    readonly has_previous_page?: boolean;
    readonly start_cursor?: string | null;
  };
  readonly states?: readonly Readonly<Record<string, FlowState>>[];
}

/** Of a row, under the name of a stateflow. */
export interface FlowState {
  readonly field: string;
  readonly current: string;
  readonly events: readonly string[];
}

export interface Machine {
  readonly name: string;
  readonly entity?: string;
  readonly field: string;
  readonly initial_state: string;
  readonly states: Readonly<
    Record<string, { readonly type?: string; readonly events?: Readonly<Record<string, { readonly target: string }>> }>
  >;
}

export const keyOf = (entity: EntityDoc, row: Row): string => String(row[entity.primary_key]);

/** A link of rows, seen from one of its two sides. */
export interface LinkSide {
  /** Whether this side writes it. */
  readonly isOwn: boolean;
  /** As the entity that declares it calls it. */
  readonly declared: string;
  /** The entity at the other side. */
  readonly entity: EntityDoc;
  /** What rows there call the rows here, for a condition. */
  readonly back: string;
}

/** The links of an entity (docs/contract/data-definitions.md §1.14): of the relations to many rows those that no reference makes. */
export const linksOf = ({ entities }: Schema, { name, relations }: EntityDoc): LinkSide[] =>
  relations.flatMap((relation): LinkSide[] => {
    const entity = entities.find((one) => one.name === relation.entity);
    if (entity === undefined || relation.kind !== 'many') return [];
    const declared = relation.field;
    if (relation.name === declared) return [{ isOwn: true, declared, entity, back: `${name}_by_${declared}` }];
    return entity.fields.some((field) => field.name === declared)
      ? []
      : [{ isOwn: false, declared, entity, back: declared }];
  });

export const keyField = ({ fields, primary_key: key }: EntityDoc): Field | undefined =>
  fields.find(({ name }) => name === key);

export interface Referrer {
  readonly entity: EntityDoc;
  readonly field: Field;
}

/** The references to an entity that this login may follow back. */
export const referrersOf = ({ entities }: Schema, { name }: EntityDoc): Referrer[] =>
  entities
    .filter(({ operations }) => operations.includes('read'))
    .flatMap((entity) =>
      entity.fields.filter(({ ref }) => ref?.entity === name).map((field): Referrer => ({ entity, field })),
    );

/** The field by which people know a row of this entity; its key where none is such. */
export function labelField({ fields, primary_key: key }: EntityDoc): string {
  const texts = fields.filter(({ type, name }) => (type === 'string' || type === 'text') && name !== key);
  const named = ['name', 'title', 'label', 'subject', 'text'].find((name) =>
    texts.some((field) => field.name === name),
  );
  return named ?? texts[0]?.name ?? key;
}

/** Hidden from all who do not ask for deleted rows; it can be brought back. */
export const isMarkedDeleted = ({ traits }: EntityDoc, row: Row): boolean =>
  traits.includes('soft_delete') && row['deleted_at'] !== null && row['deleted_at'] !== undefined;
