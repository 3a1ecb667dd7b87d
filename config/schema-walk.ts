/** Inspects a schema: what it has at a path, which keys it knows. */
import type { z } from 'zod';
import type { Path } from './problem.ts';
import type { Meta } from './schema-kit.ts';

/** The used part of a schema's definition; zod keeps it on every schema. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly catchall?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

function definitionOf(schema: z.ZodType): Definition {
  return schema.def;
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
function schemasAt(schema: z.ZodType, path: Path): z.ZodType[] {
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
