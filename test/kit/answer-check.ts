/** Checks answers against an OpenAPI 3.1 document, by its JSON Schemas. */
import { z } from 'zod';

interface Operation {
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: object }> }>;
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

export class AnswerCheck {
  readonly #document: Document;
  readonly #checks = new Map<object, z.ZodType>();

  constructor(document: Document) {
    this.#document = document;
  }

  /** Throws when the status is not described for the operation, or the body is not of its schema. */
  expect(path: string, method: string, status: number, body: unknown): void {
    const operation = this.#document.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) throw new Error(`${method} ${path} is not described`);
    const response = operation.responses[status];
    if (response === undefined) throw new Error(`${method} ${path}: ${status} is not described`);
    const schema = response.content?.['application/json']?.schema;
    if (schema === undefined) return;
    const result = this.#checkOf(schema).safeParse(body);
    if (!result.success) throw new Error(`${method} ${path} ${status}: ${z.prettifyError(result.error)}`);
  }

  #checkOf(schema: object): z.ZodType {
    let check = this.#checks.get(schema);
    if (check === undefined) {
      const definitions = JSON.stringify({ ...schema, $defs: this.#document.components.schemas });
      const local = JSON.parse(definitions.replaceAll('#/components/schemas/', '#/$defs/')) as object;
      check = z.fromJSONSchema(local as Parameters<typeof z.fromJSONSchema>[0]);
      this.#checks.set(schema, check);
    }
    return check;
  }
}
