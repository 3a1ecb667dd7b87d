/** Inspects a schema: what it has at a path, which keys it knows. */
import type { z } from 'zod';
import type { Path } from './problem.ts';
import type { Meta } from './schema-kit.ts';

/** The used part of a schema's definition; zod keeps it on every schema. */
export interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly element?: z.ZodType;
  readonly keyType?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly catchall?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly defaultValue?: unknown;
  readonly values?: readonly unknown[];
}

export function definitionOf(schema: z.ZodType): Definition {
  return schema.def;
}

/** Whether a map must have the key that this schema checks. A first step may make a value of nothing, or leave it to be refused. */
export function isRequired(schema: z.ZodType): boolean {
  return schema._zod.optin === undefined || !schema.safeParse(undefined).success;
}

/** The outermost note `key` of a schema and of what it wraps; undefined where there is none. */
export function noteOf<K extends keyof Meta>(schema: z.ZodType, key: K): Meta[K] | undefined {
  const own = (schema.meta() as Meta | undefined)?.[key];
  const { innerType, type, out } = definitionOf(schema);
  if (own !== undefined) return own;
  if (innerType !== undefined) return noteOf(innerType, key);
  return type === 'pipe' ? noteOf(out!, key) : undefined;
}

/** Unwraps optional, default, preprocess and unions, down to the schemas of values. */
export function coresOf(schema: z.ZodType): z.ZodType[] {
  const def = definitionOf(schema);
  if (def.innerType !== undefined) return coresOf(def.innerType);
  if (def.type === 'pipe') return [def.in!, def.out!].flatMap(coresOf);
  if (def.options !== undefined) return def.options.flatMap(coresOf);
  return [schema];
}

/** The schemas that a value at `path` may have to satisfy; none when the path leads nowhere. */
export function schemasAt(schema: z.ZodType, path: Path): z.ZodType[] {
  let here = [schema];
  for (const part of path) here = here.flatMap(coresOf).flatMap((core) => childOf(core, part));
  return here;
}

/** The description of the value at `path`; the outermost one wins. */
export function metaAt(schema: z.ZodType, path: Path): Meta | null {
  for (const found of schemasAt(schema, path)) {
    const meta = metaOf(found);
    if (meta !== null) return meta;
  }
  return null;
}

/** The keys that the map at `path` knows. */
export function keysAt(schema: z.ZodType, path: Path): string[] {
  return schemasAt(schema, path)
    .flatMap(coresOf)
    .flatMap((core) => Object.keys(definitionOf(core).shape ?? {}));
}

/** Every leaf key below a schema, with its description: for flags and documents. */
export function leavesOf(
  schema: z.ZodType,
  at: readonly string[] = [],
): { path: readonly string[]; schema: z.ZodType }[] {
  const children = coresOf(schema).flatMap((core) => Object.entries(definitionOf(core).shape ?? {}));
  if (children.length === 0) return [{ path: at, schema }];
  return children.flatMap(([key, child]) => leavesOf(child, [...at, key]));
}

export function metaOf(schema: z.ZodType): Meta | null {
  const meta = schema.meta() as Meta | undefined;
  if (meta?.description !== undefined) return meta;
  const def = definitionOf(schema);
  if (def.innerType !== undefined) return metaOf(def.innerType);
  return def.type === 'pipe' ? metaOf(def.out!) : null;
}

function childOf(core: z.ZodType, part: string | number): z.ZodType[] {
  const def = definitionOf(core);
  if (def.type === 'array') return [def.element!];
  if (def.type === 'record') return [def.valueType!];
  const declared = def.shape !== undefined && Object.hasOwn(def.shape, part) ? def.shape[part] : undefined;
  if (declared !== undefined) return [declared];
  return def.catchall === undefined || def.catchall.def.type === 'never' ? [] : [def.catchall];
}

/** A key of a file, for its reference. */
export interface KeyOfSchema {
  /** `[]` is an item of a list, `<name>` a name that the operator chooses. */
  readonly path: readonly string[];
  /** What the key is for; undefined where nothing is said. */
  readonly about: string | undefined;
  /** What the value must be, in words. */
  readonly takes: string;
  /** Whether its map must have the key. */
  readonly required: boolean;
  /** What counts where the key is left out; undefined where nothing is said. */
  readonly standard: unknown;
  readonly example: string | undefined;
}

/** Every key below a schema, also those of list items and of named entries. */
export function keysOf(schema: z.ZodType, at: readonly string[] = []): KeyOfSchema[] {
  const whole = noteOf(schema, 'whole');
  const cores = whole === undefined ? coresOf(schema) : [];
  const below = cores.flatMap((core) => {
    const { shape, element, valueType, catchall } = definitionOf(core);
    const named = catchall === undefined || catchall.def.type === 'never' ? valueType : catchall;
    return [
      ...Object.entries(shape ?? {}).flatMap(([key, child]) => keysOf(child, [...at, key])),
      ...(element !== undefined && isMap(element) ? keysOf(element, [...at, '[]']) : []),
      ...(named !== undefined && named.def.type !== 'unknown' ? keysOf(named, [...at, '<name>']) : []),
    ];
  });
  const meta = metaOf(schema);
  const about = noteOf(schema, 'about');
  const isLeaf = at.length > 0 && (below.length === 0 || meta !== null || about !== undefined);
  if (!isLeaf) return below;
  const isOpen = cores.every(({ def }) => def.type === 'unknown');
  const takes = whole ?? meta?.description ?? definitionOf(schema).values?.join(', ') ?? (isOpen ? 'a value' : 'a map');
  const isEntry = at.at(-1) === '[]' || at.at(-1) === '<name>';
  const own = {
    path: at,
    about,
    takes,
    required: !isEntry && isRequired(schema),
    standard: standardOf(schema),
    example: noteOf(schema, 'example'),
  };
  return [own, ...below];
}

const isMap = (schema: z.ZodType): boolean => coresOf(schema).some((core) => definitionOf(core).shape !== undefined);

function standardOf(schema: z.ZodType): unknown {
  const def = definitionOf(schema);
  return def.type === 'default' ? def.defaultValue : undefined;
}
