/** What the code asks of a field type. One row of these answers for each type stands in field-types.ts. */

/** How values are ordered; rooms that sort keep one comparison for each (rows/order.ts). */
export type Order = 'text' | 'truth' | 'integer' | 'double' | 'decimal';

/** How storage keys hold a value: as it is, or in an encoding of their own (rows/keys/store.ts). */
export type KeyForm = 'plain' | 'ulid' | 'uuid' | 'integer' | 'decimal';

/** The type that a value has in statements of actions (sql/type.ts). */
export type SqlName =
  | 'text'
  | 'integer'
  | 'float'
  | 'numeric'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'ulid'
  | 'uuid'
  | 'json'
  | 'bytes';

/** The smallest part of the calendar that a value tells apart, and by which rows may be grouped (rows/group/bucket.ts). */
export type Resolution = 'day' | 'hour';

/** What the text of a CSV cell means (bulk/read-csv.ts). */
export type CsvForm = 'text' | 'truth' | 'number' | 'json';

/** How the service makes a key that a caller does not choose (rows/new-id.ts). */
export type IdMaker = 'ulid' | 'uuid7';

/** A scalar of GraphQL or of ours by name (graphql/scalars.ts), or one that is made of the row. */
export type GraphqlScalar =
  | 'String'
  | 'Float'
  | 'Boolean'
  | 'JSON'
  | { readonly name: string; readonly description: string };

/** Keys of a field's declaration that only some types may carry. */
export const TYPED_KEYS = [
  'min',
  'max',
  'min_length',
  'max_length',
  'pattern',
  'format',
  'enum',
  'ref',
  'unique',
  'index',
] as const;
export type TypedKey = (typeof TYPED_KEYS)[number];

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface TypeRow {
  /** The value as it is stored and shown, or undefined when it is not of the type. A default is judged by it, too. */
  readonly of: (value: unknown) => unknown;
  /** The value that a query string means, or undefined; null where the type has no equality. */
  readonly ofText: ((text: string) => unknown) | null;
  /** The value that a stored text of another type becomes when a field changes its type; null where `ofText` says all. */
  readonly ofOther: ((text: string) => string | undefined) | null;
  /** What a value must be, in words that follow "must be". */
  readonly expected: string;
  readonly takesDefault: boolean;
  /** Typed keys that a field's declaration may carry. */
  readonly keys: readonly TypedKey[];
  /** Whether the key of an entity may be of the type. */
  readonly canBeKey: boolean;
  readonly makesIds: IdMaker | null;
  /** Whether a parameter of an action may be of the type. */
  readonly isParameter: boolean;
  /** Text that its writer chooses, freely or from a list; null for values that only look like text. */
  readonly text: 'free' | 'listed' | null;
  /** What a sum begins at; null where values cannot be added up. */
  readonly zero: 0 | '0' | null;
  /** Null where values have no order and no equality: they cannot be indexed, filtered or grouped by. */
  readonly order: Order | null;
  /** What equal values have in common that are written in several ways; null where equal values are the same. */
  readonly sameForm: ((value: string) => string) | null;
  /** Whether CEL, which compares texts by UTF-16 unit, orders values as keys do. */
  readonly orderedInRules: boolean;
  /** Whether a materialized field may hold the smallest or the largest of them. */
  readonly hasExtremes: boolean;
  /** Whether patterns (`like`) may be held against values. */
  readonly likes: boolean;
  readonly key: KeyForm;
  /** Whether a value may be longer than its share of a key, which is cut then. */
  readonly exceedsKeys: boolean;
  /** Whether rules may name members of a value. */
  readonly hasMembers: boolean;
  /** The value that stands for an instant in UTC: rows have an age by such a field. Null for types that name no day or instant. */
  readonly ofInstant: ((instant: string) => string) | null;
  /** Null for types that name no day or instant. */
  readonly resolution: Resolution | null;
  /** Whether a value may be the subject or the tenant of a caller. */
  readonly holdsCallers: boolean;
  readonly sql: SqlName;
  /** The type as PostgreSQL's DDL spells it, in plans that people read. */
  readonly ddl: string;
  /** The same with `max_length` behind it in parentheses; null where a length is a check of its own. */
  readonly ddlSized: string | null;
  /** A value as it is read. */
  readonly schema: JsonSchema;
  /** A value as it is written, where more is taken than is given back. */
  readonly written: JsonSchema | null;
  /** Null for what is no scalar. */
  readonly graphql: GraphqlScalar | null;
  readonly csv: CsvForm;
  /** Whether a text part of a multipart body is the value itself; else it is the value's JSON. */
  readonly isTextPart: boolean;
}
