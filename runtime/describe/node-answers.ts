/** The answers of the node's own routes as types, for the console, which imports nothing of the node. */
import type { openApi } from './openapi.ts';

type Document = ReturnType<typeof openApi>;

/** What a page of the console asks; each is named after the end of its path. */
const SHOWN = ['backups', 'buckets', 'cluster', 'figures', 'health', 'load', 'logs', 'slow', 'vault'];

const LINE_MAX = 120;

/** The part of JSON Schema that these answers are written in. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

/** `console/src/node/answers.ts`. `document`: the gateway's. */
export function nodeAnswers(document: Document): string {
  const shapes = SHOWN.flatMap((name) => {
    const schema = answerOf(document, `/superadmin/node/${name}`);
    if (schema === undefined) return []; // the console's own compiler misses it
    return `export interface ${name[0]!.toUpperCase()}${name.slice(1)} ${objectOf(schema, '')}\n`;
  });
  return `/** What the node says of itself (docs/contract/node.md): the answers of \`GET /superadmin/node/…\`. Made by \`npm run generate\`. */
${shapes.join('\n')}`;
}

function answerOf({ paths }: Document, path: string): Schema | undefined {
  const found = paths as Readonly<Record<string, { readonly get?: Answered }>>;
  return found[path]?.get?.responses['200']!.content['application/json']!.schema;
}

interface Answered {
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

function objectOf({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const key = `${inner}readonly ${name}${required.includes(name) ? '' : '?'}:`;
    const type = typeOf(schema, inner);
    // As the formatter breaks it.
    const isLong = !type.includes('{') && `${key} ${type};`.length > LINE_MAX;
    return isLong
      ? `${key}\n${type
          .split(' | ')
          .map((one) => `${inner}  | ${one}`)
          .join('\n')};`
      : `${key} ${type};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(one, indent)).join(' | ');
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (schema.const !== undefined) return literal(schema.const);
  return [schema.type ?? 'unknown']
    .flat()
    .map((type) => plainOf(type, schema, indent))
    .join(' | ');
}

function plainOf(type: string, schema: Schema, indent: string): string {
  if (type === 'integer') return 'number';
  if (type === 'array') {
    const item = typeOf(schema.items ?? {}, indent);
    return `readonly ${item.includes(' | ') && !item.startsWith('{') ? `(${item})` : item}[]`;
  }
  if (type !== 'object') return type;
  if (schema.properties !== undefined) return objectOf(schema, indent);
  const { additionalProperties: more } = schema;
  return `Readonly<Record<string, ${typeof more === 'object' ? typeOf(more, indent) : 'unknown'}>>`;
}

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));
