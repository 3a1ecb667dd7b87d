/** The types of a tenant's definitions, as `skep types` writes them, and what follows from them. Nothing here is there at run time. */

/** One entity, or one view. */
export interface EntityTypes {
  /** A row as it is read. */
  readonly row: object;
  /** What a create takes; never for a view. */
  readonly create: object;
  /** What an update takes; never for a view. */
  readonly update: object;
  /** Relations that lead to one row, with the entity of that row. */
  readonly one: Readonly<Record<string, string>>;
  /** Relations that lead to many rows, with the entity of these rows. */
  readonly many: Readonly<Record<string, string>>;
  /** Whether its changes are told. */
  readonly changes: boolean;
}

/** One section of an action: what its statement takes. */
export interface ActionTypes {
  readonly params: object;
}

/** One channel. */
export interface ChannelTypes {
  /** Whether a key says which of many such channels is meant. */
  readonly keyed: boolean;
  /** Whether its members are told of each other. */
  readonly presence: boolean;
}

export interface SchemaTypes {
  readonly entities: Readonly<Record<string, EntityTypes>>;
  /** Actions by their names and sections. */
  readonly actions?: Readonly<Record<string, Readonly<Record<string, ActionTypes>>>>;
  /** Of each field that a stateflow governs, `<entity>.<field>`: the states with their events, and the state to which each leads. */
  readonly stateflows?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
  /** Scripted endpoints: their verbs by their paths. */
  readonly endpoints?: Readonly<Record<string, string>>;
  /** Endpoints of the BFF: their verbs by their paths, `city/{id}`. */
  readonly bff?: Readonly<Record<string, string>>;
  readonly channels?: Readonly<Record<string, ChannelTypes>>;
}

/** Of a client without a schema: any name, any field. */
export interface AnySchema {
  readonly entities: Readonly<Record<string, AnyEntity>>;
}

type AnyRow = Record<string, unknown>;

interface AnyEntity {
  readonly row: AnyRow;
  readonly create: AnyRow;
  readonly update: AnyRow;
  readonly one: Readonly<Record<string, string>>;
  readonly many: Readonly<Record<string, string>>;
  readonly changes: boolean;
}

export type EntityName<S extends SchemaTypes> = keyof S['entities'] & string;
export type Row<S extends SchemaTypes, E extends EntityName<S>> = S['entities'][E]['row'];
export type Create<S extends SchemaTypes, E extends EntityName<S>> = S['entities'][E]['create'];
export type Update<S extends SchemaTypes, E extends EntityName<S>> = S['entities'][E]['update'];
export type Field<S extends SchemaTypes, E extends EntityName<S>> = keyof Row<S, E> & string;

type OneOf<S extends SchemaTypes, E extends EntityName<S>> = keyof S['entities'][E]['one'] & string;
type ManyOf<S extends SchemaTypes, E extends EntityName<S>> = keyof S['entities'][E]['many'] & string;
type RelationOf<S extends SchemaTypes, E extends EntityName<S>> = OneOf<S, E> | ManyOf<S, E>;
/** The entity to which a relation leads. */
type Target<S extends SchemaTypes, E extends EntityName<S>, R extends string> = (R extends OneOf<S, E>
  ? S['entities'][E]['one'][R]
  : R extends ManyOf<S, E>
    ? S['entities'][E]['many'][R]
    : never) &
  EntityName<S>;

/** `organisation.name`: a field of the row that a relation leads to. */
type FarField<S extends SchemaTypes, E extends EntityName<S>> = {
  [R in OneOf<S, E>]: `${R}.${Field<S, Target<S, E, R>>}`;
}[OneOf<S, E>];
type FarValue<S extends SchemaTypes, E extends EntityName<S>, P extends string> = P extends `${infer R}.${infer F}`
  ? F extends keyof Row<S, Target<S, E, R>>
    ? Row<S, Target<S, E, R>>[F]
    : never
  : never;

/** Operators of docs/contract/data.md §5.4. */
interface Operators<V> {
  readonly eq?: V;
  readonly ne?: V;
  readonly gt?: V;
  readonly gte?: V;
  readonly lt?: V;
  readonly lte?: V;
  readonly in?: readonly V[];
  readonly nin?: readonly V[];
  readonly between?: readonly [V, V];
  /** `%` stands for any text, `_` for one character. */
  readonly like?: string;
  /** The same, whatever the case of letters. */
  readonly ilike?: string;
  readonly null?: boolean;
}

/** Of objects only whether they are there; their parts are compared by paths: `'meta/level'`. */
type Condition<V> = [NonNullable<V>] extends [string | number | boolean]
  ? V | Operators<NonNullable<V>>
  : unknown extends V
    ? unknown
    : null | { readonly null?: boolean };

type PartCondition = string | number | boolean | null | Operators<string | number | boolean>;

/** A client without a schema: every name is a text. */
type IsUntyped<S extends SchemaTypes> = string extends EntityName<S> ? true : false;

/** Conditions that all must hold. */
export type Where<S extends SchemaTypes, E extends EntityName<S>> =
  IsUntyped<S> extends true ? Readonly<Record<string, unknown>> : TypedWhere<S, E>;

type TypedWhere<S extends SchemaTypes, E extends EntityName<S>> = {
  readonly [F in Field<S, E>]?: Condition<Exclude<Row<S, E>[F], undefined>>;
} & { readonly [P in FarField<S, E>]?: Condition<FarValue<S, E, P>> } & {
  readonly [R in ManyOf<S, E>]?: RowsOf<S, Target<S, E, R>>;
} & { readonly [part: `${string}/${string}`]: PartCondition } & {
  readonly OR?: readonly Where<S, E>[];
  readonly AND?: readonly Where<S, E>[];
  readonly NOT?: Where<S, E>;
};

/** How many of the rows of a relation meet conditions. */
interface RowsOf<S extends SchemaTypes, E extends EntityName<S>> {
  readonly some?: Where<S, E>;
  readonly none?: Where<S, E>;
  readonly every?: Where<S, E>;
}

type Sorted<T extends string> = T | `-${T}`;
/** Fields, each with a `-` before it for the descending order. */
export type OrderBy<S extends SchemaTypes, E extends EntityName<S>> = Sorted<Field<S, E> | FarField<S, E>>;

/** A relation, and one behind it: `ticket`, `ticket.organisation`. */
export type Relation<S extends SchemaTypes, E extends EntityName<S>> =
  | RelationOf<S, E>
  | { [R in RelationOf<S, E>]: `${R}.${RelationOf<S, Target<S, E, R>>}` }[RelationOf<S, E>];

type Head<P extends string> = P extends `${infer R}.${string}` ? R : P;
type Tail<P extends string, R extends string> = P extends `${R}.${infer T}` ? T : never;

/** A row with the rows that were included: all of its fields, or `F`. */
export type RowWith<S extends SchemaTypes, E extends EntityName<S>, F extends string, P extends string> =
  IsUntyped<S> extends true ? Row<S, E> : TypedRow<S, E, F, P>;

type TypedRow<S extends SchemaTypes, E extends EntityName<S>, F extends string, P extends string> = ([
  Field<S, E>,
] extends [F]
  ? Row<S, E>
  : Pick<Row<S, E>, F & keyof Row<S, E>>) & {
  [R in Head<P> & OneOf<S, E>]: RowWith<S, Target<S, E, R>, Field<S, Target<S, E, R>>, Tail<P, R>> | null;
} & { [R in Head<P> & ManyOf<S, E>]: RowWith<S, Target<S, E, R>, Field<S, Target<S, E, R>>, Tail<P, R>>[] };

/** Which of the rows of a relation are included, and in which order. */
export interface Included<S extends SchemaTypes, E extends EntityName<S>> {
  readonly where?: Where<S, E>;
  readonly orderBy?: OrderBy<S, E> | readonly OrderBy<S, E>[];
  readonly limit?: number;
}

/** The options of relations of the entity itself. */
export type IncludeOptions<S extends SchemaTypes, E extends EntityName<S>> = {
  readonly [R in RelationOf<S, E>]?: Included<S, Target<S, E, R>>;
};
