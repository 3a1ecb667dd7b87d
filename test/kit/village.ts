/** A small product in a directory of its own, whose files a test may break, and the ways to break it. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILES: Readonly<Record<string, string>> = {
  'product.yaml': 'name: shop\n',
  'entities/town.yaml': `entities:
  town:
    fields:
      name: { type: string, required: true }
      size: { type: integer, default: 0 }
    access:
      create: { language: cel, rule: 'true' }
      read: { language: cel, rule: 'true' }
`,
  'actions/large.yaml': `name: large
access: { language: cel, rule: 'true' }
sections:
  read:
    params:
      least: { type: integer, default: 1 }
    sql: select name, size from town where size >= :least order by name
`,
  'endpoints/count.yaml': `path: count
kind: query
auth: public
script: |
  const towns = 1;
  return { towns };
`,
  'stateflows/growth.yaml': `name: growth
entity: parish
field: state
initial: new
states:
  new: { events: { grow: { target: old, guard: 'true' } } }
  old: { type: final }
`,
  'entities/parish.yaml': `entities:
  parish:
    fields:
      state: { type: enum, enum: [new, old] }
    access:
      read: { language: cel, rule: 'true' }
`,
};

/** Writes the product, sound and whole, over whatever is there. */
export function writeVillage(dir: string): string {
  rmSync(dir, { recursive: true, force: true });
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

export interface Breakage {
  readonly what: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** What is said of it after the file's name: line and column. */
  readonly at: RegExp;
}

const breakage = (what: string, file: string, from: string, to: string, at: RegExp): Breakage => ({
  what,
  file,
  from,
  to,
  at,
});

/** One way for each compiler to refuse. */
export const BREAKAGES: readonly Breakage[] = [
  breakage('YAML that does not parse', 'entities/town.yaml', 'entities:', 'entities: [', /:\d+:\d+/),
  breakage('a field type that is not there', 'entities/town.yaml', 'type: integer', 'type: integr', /:5:\d+/),
  breakage(
    'a rule of an entity',
    'entities/town.yaml',
    "read: { language: cel, rule: 'true' }",
    "read: { language: cel, rule: 'row.' }",
    /:\d+:\d+/,
  ),
  breakage('a statement over an unknown column', 'actions/large.yaml', 'select name', 'select nmae', /:7:\d+/),
  breakage('a list of lists', 'actions/large.yaml', 'select name', 'select array[array[1]] as name', /:7:\d+/),
  breakage('a statement that does not parse', 'actions/large.yaml', 'select name', 'selec name', /:7:\d+/),
  breakage('a parameter that is not declared', 'actions/large.yaml', ':least', ':most', /:\d+:\d+/),
  breakage('the access of an action', 'actions/large.yaml', "rule: 'true'", "rule: 'principal.'", /:2:\d+/),
  breakage('the script of an endpoint', 'endpoints/count.yaml', 'return {', 'retrun {', /:6:\d+/),
  breakage('the guard of a stateflow', 'stateflows/growth.yaml', "guard: 'true'", "guard: 'row.'", /:6:\d+/),
  breakage(
    'a default that its field refuses',
    'entities/town.yaml',
    'default: 0',
    "default: '9223372036854775808'",
    /:5:\d+/,
  ),
];
