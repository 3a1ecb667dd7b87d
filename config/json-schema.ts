/**
 * JSON Schema (draft 2020-12) of a file that people write, for editors. It takes every file that the loader takes; what the loader refuses beyond
 * keys, types, patterns and bounds (a duration that is none, a name that nothing declares) it cannot know. `skep check` has the last word.
 */
import * as z from 'zod';
import { parse } from 'yaml';
import type { FileKind } from './file-kinds.ts';
import type { Path } from './problem.ts';
import { definitionOf, isRequired, metaOf, noteOf } from './schema-walk.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';
/** A text that names a variable: what it holds is not known here. */
const VARIABLE: JsonSchema = { type: 'string', pattern: String.raw`\$\{[^}]*\}` };

/** The whole document of one kind. */
export function jsonSchemaOf(kind: FileKind): JsonSchema {
  const { description: _, ...schema } = new Writer(kind).write(kind.schema, []);
  return { $schema: DRAFT, title: `Skep: ${kind.title}`, description: `${kind.about}.`, ...schema };
}

class Writer {
  readonly #takesVariables: (path: Path) => boolean;

  constructor({ takesVariables = () => false }: FileKind) {
    this.#takesVariables = takesVariables;
  }

  write(schema: z.ZodType, path: Path): JsonSchema {
    const short = noteOf(schema, 'short');
    const long = this.#core(schema, path);
    const written = short === undefined ? [long] : [long, short];
    const ways = this.#takesVariables(path) && needsVariable(written) ? [...written, VARIABLE] : written;
    return { ...notes(schema), ...(ways.length === 1 ? long : { anyOf: ways }) };
  }

  #core(schema: z.ZodType, path: Path): JsonSchema {
    const { type, innerType, in: first, out, options, element } = definitionOf(schema);
    if (innerType !== undefined) return this.#core(innerType, path);
    if (type === 'pipe') return this.#core(definitionOf(first!).type === 'transform' ? out! : first!, path);
    if (options !== undefined) return { anyOf: options.map((option) => this.write(option, path)) };
    if (element !== undefined) return { type: 'array', items: this.write(element, [...path, 0]), ...lengths(schema) };
    if (type === 'object' || type === 'record') return this.#map(schema, path);
    return leaf(schema);
  }

  #map(schema: z.ZodType, path: Path): JsonSchema {
    const { shape = {}, keyType, valueType, catchall } = definitionOf(schema);
    const others = catchall ?? valueType;
    const named = Object.entries(shape);
    const required = named.filter(([, child]) => isRequired(child)).map(([key]) => key);
    return {
      type: 'object',
      ...(named.length > 0 && {
        properties: Object.fromEntries(named.map(([key, child]) => [key, this.write(child, [...path, key])])),
      }),
      ...(required.length > 0 && { required }),
      ...(keyType !== undefined && { propertyNames: leaf(keyType) }),
      additionalProperties:
        others === undefined || others.def.type === 'never' ? false : this.write(others, [...path, '<name>']),
    };
  }
}

/** What people read beside the key: in an editor's hover, and in its suggestions. */
function notes(schema: z.ZodType): JsonSchema {
  const [about, takes, example] = [noteOf(schema, 'about'), metaOf(schema)?.description, noteOf(schema, 'example')];
  const description = about === undefined || takes === undefined ? (about ?? takes ?? '') : `${about} (${takes})`;
  const { type, defaultValue } = definitionOf(schema);
  return {
    ...(description !== '' && { description }),
    ...(type === 'default' && { default: defaultValue }),
    ...(example !== undefined && { examples: [parse(example) as unknown] }),
  };
}

/** A scalar, by zod's own words without ours. */
function leaf(schema: z.ZodType): JsonSchema {
  const { $schema: _draft, ...said } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const ours = new Set(['description', 'about', 'example', 'secret', 'place', 'short', 'whole']);
  const bounds = (value: unknown) => typeof value === 'number' && !Number.isSafeInteger(Math.abs(value) + 1);
  return Object.fromEntries(Object.entries(said).filter(([key, value]) => !ours.has(key) && !bounds(value)));
}

function lengths(schema: z.ZodType): JsonSchema {
  const { minItems, maxItems } = leaf(schema);
  return { ...(minItems !== undefined && { minItems }), ...(maxItems !== undefined && { maxItems }) };
}

/** Whether a value may be a text, and not every text is taken: a variable may hold one that is. Maps and lists stand in no variable. */
function needsVariable(ways: readonly JsonSchema[]): boolean {
  const scalars = ways.flatMap(everyWay).filter(({ type }) => type !== 'object' && type !== 'array' && type !== 'null');
  return scalars.length > 0 && !scalars.some(takesEveryText);
}

function everyWay(way: JsonSchema): readonly JsonSchema[] {
  return Array.isArray(way['anyOf']) ? (way['anyOf'] as JsonSchema[]).flatMap(everyWay) : [way];
}

function takesEveryText({ type, ...rest }: JsonSchema): boolean {
  if (['enum', 'const', 'pattern', 'allOf'].some((key) => rest[key] !== undefined)) return false;
  return type === undefined || type === 'string';
}
