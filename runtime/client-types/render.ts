/** TypeScript as text: names of types, objects, and the type of values that a JSON Schema describes. Pure. */
import type { JsonSchema } from '#config/values/type-row.ts';

export interface Member {
  readonly name: string;
  readonly type: string;
  readonly optional?: boolean;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

export const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const keyOf = (name: string): string => (IDENTIFIER.test(name) ? name : literal(name));

/** An object type, `indent` spaces in; `{}` without members. */
export function objectOf(members: readonly Member[], indent = 0): string {
  if (members.length === 0) return '{}';
  const pad = ' '.repeat(indent + 2);
  const lines = members.map(
    ({ name, type, optional }) => `${pad}readonly ${keyOf(name)}${optional === true ? '?' : ''}: ${type};\n`,
  );
  return `{\n${lines.join('')}${' '.repeat(indent)}}`;
}

/** `unknown` takes everything in. */
export function unionOf(types: readonly string[]): string {
  return types.includes('unknown') ? 'unknown' : [...new Set(types)].join(' | ');
}

/** The type of the values that a schema of a field describes. */
export function typeOfSchema(schema: JsonSchema): string {
  const {
    type,
    enum: values,
    anyOf,
    properties,
  } = schema as {
    readonly type?: string;
    readonly enum?: readonly string[];
    readonly anyOf?: readonly JsonSchema[];
    readonly properties?: Readonly<Record<string, JsonSchema>>;
  };
  if (anyOf !== undefined) return unionOf(anyOf.map(typeOfSchema));
  if (values !== undefined) return unionOf(values.map(literal));
  if (type === 'object' && properties !== undefined) {
    const members = Object.entries(properties).map(([name, one]) => `readonly ${keyOf(name)}?: ${typeOfSchema(one)}`);
    return `{ ${members.join('; ')} }`;
  }
  return type === undefined ? 'unknown' : (PLAIN[type] ?? 'unknown');
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
};

/** `order_line` as `OrderLine`, and with a number behind it where another name has become the same. */
export class TypeNames {
  readonly #taken = new Set<string>(['Schema']);

  of(name: string): string {
    const plain = name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    let out = plain;
    for (let no = 2; this.#taken.has(out); no++) out = `${plain}${no}`;
    this.#taken.add(out);
    return out;
  }
}
