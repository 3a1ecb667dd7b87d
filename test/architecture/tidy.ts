/** Rules that need no knowledge of imports: size, leftovers of one machine, tests switched to run alone. */
import { scan, type SourceFile } from './source.ts';
import type { Violation } from './floor-plan.ts';

export const LINES_MAX = 400;

/** Folders of one machine: written in parts, so that this file passes its own rule. */
const MACHINE = new RegExp(
  ['work', 'tmp', 'root', 'home'].map((name) => String.raw`(?<![\w.}-])/${name}/[\w.]`).join('|'),
);
const ALONE = /\b(?:test|it|describe|suite|bench)(?:\.\w+)*\.only\b/;

/** Violations of one file. */
export function checkTidy({ path, text }: SourceFile): Violation[] {
  const out: Violation[] = [];
  const say = (rule: string, what: string) => out.push({ rule, path, what });
  const isCode = /\.(ts|mjs)$/.test(path);
  const lines = text.split('\n').length - 1;
  if (isCode && lines > LINES_MAX) say('size', `${lines} lines`);
  const machine = MACHINE.exec(text);
  if (machine !== null) say('machine', `names ${machine[0]}`);
  if (isCode && path.startsWith('test/') && ALONE.test(scan(text).code)) say('only', 'runs a test alone');
  return out;
}

const NAMED_IMPORT = /^import (type )?\{([^}]*)\} from '([^']+)';$/gm;
const LINE_MAX = 120;

/** A module is imported by one line where one is long enough for its names: types stand among values as `type Name`. */
export function checkImports({ path, text }: SourceFile): Violation[] {
  if (!/\.tsx?$/.test(path)) return [];
  const named = [...text.slice(0, bodyStart(text)).matchAll(NAMED_IMPORT)];
  return [...Map.groupBy(named, ([, , , from]) => from!)].flatMap(([from, imports]) => {
    if (imports.length < 2) return [];
    const types = imports.every(([, type]) => type !== undefined);
    const names = imports.flatMap(([, type, list]) =>
      list!
        .split(',')
        .flatMap((name) => (name.trim() === '' ? [] : [`${type && !types ? 'type ' : ''}${name.trim()}`])),
    );
    const line = `import ${types ? 'type ' : ''}{ ${names.join(', ')} } from '${from}';`;
    return line.length > LINE_MAX ? [] : [{ rule: 'import', path, what: line }];
  });
}

/** Where the first line stands that is neither an import nor a comment. */
function bodyStart(text: string): number {
  const at = text.search(/^(?!import |\} from |  |\/\*| \*|\/\/|#!|\n)./m);
  return at === -1 ? text.length : at;
}

/** What gives a collection of memory: its iterators hold nothing open. */
const IN_MEMORY = new Set(['keys', 'values', 'entries']);
const FIRST_OF_CALL = /\b(\w+)\((?:[^()]|\([^()]*\))*\)\.next\(\)/g;
const KEPT_SCAN = /\bconst (\w+) = (?:\w+\.)*((?:scan|range)\w*)\(/g;

/**
 * A scan that is left after one `next()` keeps its read transaction, and LMDB writes into new pages for as long. `passes` names the
 * files that keep one across turns and run it to its end, each with its reason.
 */
export function checkScans({ path, text }: SourceFile, passes: Readonly<Record<string, string>> = {}): Violation[] {
  if (!/^(actors|storage|runtime)\/.*\.ts$/.test(path) || Object.hasOwn(passes, path)) return [];
  const { code } = scan(text);
  const out: Violation[] = [];
  for (const [what, name] of code.matchAll(FIRST_OF_CALL))
    if (!IN_MEMORY.has(name!)) out.push({ rule: 'scan', path, what });
  for (const [what, name] of code.matchAll(KEPT_SCAN))
    if (code.includes(`${name}.next()`) && !code.includes(`${name}.return`)) out.push({ rule: 'scan', path, what });
  return out;
}

const OUTBOX_TABLES = /\bTABLES\.(?:\w+_outbox|audit_settled)\b/g;
const OUTBOX_ROWS = /\b(?:mailRows|deliveryRows|eventRows)\b/g;

/**
 * The rows of durable outboxes are written by actors/host/outbox, so that each is bounded, handed over in order and settled once: `stores`
 * names the files that declare such a table, `kinds` those that hand its rows to an outbox.
 */
export function checkOutboxes(
  { path, text }: SourceFile,
  stores: readonly string[],
  kinds: readonly string[],
): Violation[] {
  if (!/^(actors|runtime)\/.*\.ts$/.test(path) || path.startsWith('actors/host/outbox/') || stores.includes(path))
    return [];
  const { code } = scan(text);
  const tables = [...code.matchAll(OUTBOX_TABLES)];
  const rows = kinds.includes(path) ? [] : [...code.matchAll(OUTBOX_ROWS)];
  return [...tables, ...rows].map(([what]) => ({ rule: 'outbox', path, what }));
}

/** What every service room has. */
export const FURNITURE = ['README.md', 'routes.ts', 'refusals.ts', 'shapes.ts', 'handlers.ts', 'store.ts'] as const;

/** Furniture that is missing in the service rooms that exist among these paths. */
export function checkFurniture(paths: readonly string[], services: readonly string[]): Violation[] {
  const known = new Set(paths);
  return services
    .filter((name) => paths.some((path) => path.startsWith(`actors/${name}/`)))
    .flatMap((name) => FURNITURE.map((piece) => `actors/${name}/${piece}`))
    .filter((path) => !known.has(path) && !isInSubRoom(path, paths))
    .map((path) => ({ rule: 'furniture', path, what: 'is missing' }));
}

/** A room with sub-rooms has a store in each that needs one. */
function isInSubRoom(missing: string, paths: readonly string[]): boolean {
  if (!missing.endsWith('/store.ts')) return false;
  const room = missing.slice(0, -'store.ts'.length);
  return paths.some((path) => path.startsWith(room) && path.endsWith('/store.ts'));
}
