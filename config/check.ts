/** Checks a tree against a schema; each fault has its place and how to mend it. */
import type { z } from 'zod';
import { parse as parseScalar } from 'yaml';
import { pathText, placeText, problemAt, type Path, type Problem } from './problem.ts';
import { keysAt, metaAt } from './schema-walk.ts';
import type { Meta } from './schema-kit.ts';
import { suggest, suggestion } from './values/suggest.ts';
import { isMap, type Tree } from './tree.ts';

export type Checked<T> = { readonly value: T } | { readonly problems: readonly Problem[] };

type Issue = z.core.$ZodIssue;

/** The checked value with its defaults, or every fault. Text from a flag or the environment may represent a number or a boolean. */
export function check<S extends z.ZodType>(schema: S, tree: Tree, at: Path = []): Checked<z.output<S>> {
  const subject = (): unknown => (at.length === 0 ? tree.value : tree.get(at));
  let result = schema.safeParse(subject());
  if (!result.success && retype(result.error.issues, tree, at)) result = schema.safeParse(subject());
  if (result.success) return { value: result.data };
  const problems = result.error.issues.flatMap((issue) => explain(issue, [], schema, tree, at));
  return { problems };
}

/** Parses text from flags and the environment where a number or a boolean is required. */
function retype(issues: readonly Issue[], tree: Tree, at: Path): boolean {
  let changed = false;
  for (const issue of flatten(issues)) {
    const path = [...at, ...(issue.path as (string | number)[])];
    if (issue.code === 'custom' || issue.code === 'unrecognized_keys' || tree.looseSource(path) === null) continue;
    const parent = tree.get(path.slice(0, -1)) as Record<string | number, unknown>;
    const value = plainScalar(tree.get(path));
    if (value === undefined) continue;
    parent[path.at(-1)!] = value;
    changed = true;
  }
  return changed;
}

function flatten(issues: readonly Issue[], base: PropertyKey[] = []): Issue[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path];
    if (issue.code === 'invalid_union') return issue.errors.flatMap((branch) => flatten(branch, path));
    return [{ ...issue, path }];
  });
}

function plainScalar(value: unknown): number | boolean | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined;
  if (!/^(?:true|false|[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)$/i.test(value)) return undefined;
  const parsed: unknown = parseScalar(value);
  return typeof parsed === 'number' || typeof parsed === 'boolean' ? parsed : undefined;
}

function explain(issue: Issue, base: Path, schema: z.ZodType, tree: Tree, at: Path): Problem[] {
  const path = [...base, ...(issue.path as (string | number)[])];
  if (issue.code === 'invalid_union') {
    const branch = bestBranch(issue.errors);
    if (branch !== null) return branch.flatMap((inner) => explain(inner, path, schema, tree, at));
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey(key, path, keysAt(schema, path), tree, at));
  if (issue.code === 'invalid_key') return [badKey(issue, path, tree, at)];
  if (issue.code === 'custom' && issue.params !== undefined) return [custom(issue, path, tree, at)];
  return [badValue(path, schema, tree, at)];
}

/** The best matching branch of a union: one with a fault inside the value, and with the fewest faults. */
function bestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const inside = branches.filter((branch) =>
    branch.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys'),
  );
  return inside.sort((a, b) => a.length - b.length)[0] ?? null;
}

function unknownKey(key: string, path: Path, known: readonly string[], tree: Tree, at: Path): Problem {
  const place = tree.placeOf([...at, ...path, key], 'key');
  return problemAt(place, [...path, key], `unknown key "${key}"`, suggestion(key, known));
}

function badKey(issue: Issue & { code: 'invalid_key' }, path: Path, tree: Tree, at: Path): Problem {
  const name = String(path.at(-1));
  const mend = issue.issues[0]?.message ?? 'write another name';
  return problemAt(tree.placeOf([...at, ...path], 'key'), path, `"${name}" is not a valid name here`, mend);
}

function custom(issue: Issue & { code: 'custom' }, path: Path, tree: Tree, at: Path): Problem {
  const mend = String(issue.params?.mend ?? '');
  return problemAt(tree.placeOf([...at, ...path], 'value'), path, issue.message, mend);
}

function badValue(path: Path, schema: z.ZodType, tree: Tree, at: Path): Problem {
  const full = [...at, ...path];
  const parent = path.slice(0, -1);
  /* A list of one may be written as its item. */
  if (typeof path.at(-1) === 'number' && !Array.isArray(tree.get([...at, ...parent])))
    return badValue(parent, schema, tree, at);
  const meta = metaAt(schema, path);
  const name = path.length === 0 ? 'the file' : pathText(path.slice(typeof path.at(-1) === 'number' ? -2 : -1));
  const written = tree.get(full);
  if (written === undefined && !tree.has(full)) return missing(path, meta, tree, at);
  const what = meta?.description ?? mapWords(keysAt(schema, path));
  const shown = shownValue(written, meta, tree.looseSource(full));
  const place = tree.placeOf(full, 'value');
  return problemAt(place, path, `${name} must be ${what}, not ${shown}`, mendOf(name, written, meta, place.line === 0));
}

function missing(path: Path, meta: Meta | null, tree: Tree, at: Path): Problem {
  const name = String(path.at(-1));
  const example = meta?.example === undefined ? `${name}: …` : `${name}: ${meta.example}`;
  const mend = `add \`${example}\`${meta === null ? '' : ` (${meta.description})`}`;
  return problemAt(tree.placeOf([...at, ...path], 'key'), path, `the key "${name}" is missing`, mend);
}

function mapWords(keys: readonly string[]): string {
  return keys.length === 0 ? 'a map of names' : `a map with the keys ${keys.join(', ')}`;
}

function shownValue(value: unknown, meta: Meta | null, source: string | null): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (isMap(value)) return 'a map';
  if (meta?.secret === true) return 'what is written there';
  if (source?.startsWith('$')) return `what ${source} holds`;
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function mendOf(name: string, value: unknown, meta: Meta | null, flag: boolean): string {
  const choices = meta?.description.startsWith('one of ') ? meta.description.slice(7).split(', ') : [];
  const near = typeof value === 'string' ? suggest(value, choices) : null;
  if (near !== null) return `did you mean "${near}"?`;
  if (meta?.example === undefined) return 'write its keys as `key: value`, one a line';
  const bare = flag || name.endsWith(']');
  return bare ? `give for example ${meta.example}` : `write for example \`${name}: ${meta.example}\``;
}

/** `file:line:column` of a key, for definitions that keep their place. */
export function whereOf(tree: Tree, path: Path): string {
  return placeText(tree.placeOf(path, 'key'));
}
