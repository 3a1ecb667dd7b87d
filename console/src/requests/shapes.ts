/** What the OpenAPI document of a tenant says (docs/contract/data.md §8.1), as far as the pages read it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  /** The type as the product declares it; a list has `[]` behind it. */
  readonly 'x-type'?: string;
}

export interface ParameterDoc {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

export interface OperationDoc {
  readonly summary: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly ParameterDoc[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly 'x-writes'?: boolean;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDoc>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, ParameterDoc>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** A value that a request takes by name. */
export interface Taken {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly isRequired: boolean;
  readonly about: string;
  readonly schema: Schema;
}

/** One verb of one path, as this login may call it. */
export interface Operation {
  /** `GET /data/rest/city`, unlike that of every other. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly about: string;
  /** Path, query and headers; of an action also the members of its body. */
  readonly takes: readonly Taken[];
  /** A body as JSON in whole; null where there is none, or where its members are among `takes`. */
  readonly body: Schema | null;
  /** Whether a call may change something. */
  readonly writes: boolean;
}
