/** Checks answers against an OpenAPI 3.1 document, by its JSON Schemas. */
import { z } from 'zod';

export interface Operation {
  readonly parameters?: readonly { readonly description?: string }[];
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema?: Schema }> }>;
}

type Schema = object;

export interface OpenApi {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

interface Sent {
  /** The answer's content type, where the test has seen it. */
  readonly type?: string | undefined;
  /** Whether the request had an expression. */
  readonly expression?: boolean;
}

export class AnswerCheck {
  readonly #document: OpenApi;
  readonly #checks = new Map<Schema, z.ZodType>();
  /** By the schema's text: many operations have the same one. */
  readonly #made = new Map<string, z.ZodType>();

  constructor(document: OpenApi) {
    this.#document = document;
  }

  /**
   * Throws when the status or the content type is not described for the operation, or the body is not of its schema. Any body is right
   * only for a request with an expression.
   */
  expect(path: string, method: string, status: number, body: unknown, sent: Sent = {}): void {
    const operation = this.#document.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) throw new Error(`${method} ${path} is not described`);
    const response = operation.responses[status];
    if (response === undefined) throw new Error(`${method} ${path}: ${status} is not described`);
    const [type = 'application/json'] = sent.type?.split(';') ?? [];
    const described = response.content?.[type] ?? response.content?.['*/*'];
    if (described === undefined) {
      if (sent.type !== undefined && body !== '')
        throw new Error(`${method} ${path} ${status}: ${type} is not described`);
      return;
    }
    const { schema } = described;
    if (schema === undefined || sent.expression === true) return; // bytes, or any JSON
    const result = this.#checkOf(schema).safeParse(body);
    if (!result.success)
      throw new Error(
        `${method} ${path} ${status}: ${z.prettifyError(result.error)}: ${JSON.stringify(body).slice(0, 300)}`,
      );
  }

  #checkOf(schema: Schema): z.ZodType {
    let check = this.#checks.get(schema);
    if (check === undefined) this.#checks.set(schema, (check = this.#makeOf(schema)));
    return check;
  }

  #makeOf(schema: Schema): z.ZodType {
    const text = JSON.stringify(schema);
    let check = this.#made.get(text);
    if (check === undefined) {
      const definitions = JSON.stringify({ ...schema, $defs: this.#document.components.schemas });
      const local = JSON.parse(definitions.replaceAll('#/components/schemas/', '#/$defs/')) as object;
      check = z.fromJSONSchema(local as Parameters<typeof z.fromJSONSchema>[0]);
      this.#made.set(text, check);
    }
    return check;
  }
}
