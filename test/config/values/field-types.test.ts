/**
 * A field type is one row of config/values/field-types.ts: what a new one still needs, the compiler says. Proven on copies of the
 * project: one has a type with a new word in each answer and one without an answer, in the other all types have other names.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FIELD_TYPE_NAMES, FIELD_TYPES } from '#config/values/field-types.ts';
import { projectFiles, ROOT } from '#test/architecture/project.ts';

const TABLE = 'config/values/field-types.ts';
const WORDS = 'config/values/type-row.ts';

/** What rooms know of a word of a row: a table for each, which lacks what is new. */
const TABLES: Readonly<Record<string, string>> = {
  'actors/data/bulk/read-csv.ts': 'what a cell of CSV means',
  'actors/engine/rows/group/number.ts': 'how values are added up',
  'actors/engine/rows/keys/store.ts': 'how keys hold a value',
  'actors/engine/rows/new-id.ts': 'how a key is made',
  'actors/engine/rows/order.ts': 'how values are compared',
  'actors/data/graphql/scalars.ts': 'scalars that GraphQL has of itself',
  'actors/engine/sql/value/cast.ts': 'casts from text and to text in statements',
  'actors/engine/sql/value/compare.ts': 'how statements compare values',
  'actors/engine/sql/expression/literal.ts': 'how statements spell a type',
};

/** Types that are more than values: what they declare beside them is known by their names. */
const STRUCTURED: ReadonlySet<string> = new Set(['enum', 'ref', 'file']);

interface Fault {
  readonly path: string;
  readonly code: string;
}

type Edit = (text: string) => string;

let copies: readonly string[] = [];
let withNewType: readonly Fault[] = [];
let withOtherNames: readonly Fault[] = [];

beforeAll(async () => {
  copies = await Promise.all([copyOf(planted), copyOf(otherNames)]);
  withNewType = await compile(copies[0]!);
  withOtherNames = await compile(copies[1]!);
}, 240_000);

afterAll(async () => {
  for (const folder of copies) await rm(folder, { recursive: true });
  await rmdir(join(ROOT, '.skep')).catch(() => {}); // unless data of a node is there
});

/** Words that only the planted type has, each added to the words of its kind. */
const NEW_WORDS: Readonly<Record<string, string>> = {
  Order: 'order',
  KeyForm: 'key',
  SqlName: 'sql',
  CsvForm: 'csv',
  IdMaker: 'makesIds',
  GraphqlScalar: 'graphql',
};

/** A row that leaves one answer out. */
const HALF_ROW = 'const { order: _, ...HALF } = STRING;\n';

const planted: Readonly<Record<string, Edit>> = {
  [TABLE]: (text) => {
    const words = Object.values(NEW_WORDS).map((fact) => `${fact}: 'planted'`);
    return replaced(
      text,
      'const ROWS = {\n',
      `${HALF_ROW}const ROWS = {\n  planted: { ...STRING, ${words.join(', ')} },\n  half: HALF,\n`,
    );
  },
  [WORDS]: (text) =>
    Object.keys(NEW_WORDS).reduce(
      (so, name) =>
        replaced(so, `export type ${name} =`, `export type ${name} = | 'planted' |`).replace(
          "'planted' |\n",
          "'planted'\n",
        ),
      text,
    ),
};

const otherNames: Readonly<Record<string, Edit>> = {
  [TABLE]: (text) => {
    const [head, rows] = text.split('const ROWS = {\n') as [string, string];
    const plain = FIELD_TYPE_NAMES.filter((name) => !STRUCTURED.has(name));
    return `${head}const ROWS = {\n${plain.reduce((so, name) => replaced(so, `\n  ${name}: `, `\n  ${name}_: `), `\n${rows}`)}`;
  },
};

/** A plant that finds no place proves nothing. */
function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`nowhere to plant: ${from}`);
  return text.replace(from, to);
}

/** A copy of the floors, edited, in a folder of the project, so that the project's own settings and packages hold. */
async function copyOf(edits: Readonly<Record<string, Edit>>): Promise<string> {
  const base = join(ROOT, '.skep');
  await mkdir(base, { recursive: true });
  const folder = await mkdtemp(join(base, 'field-types-'));
  for (const floor of ['config', 'storage', 'actors', 'runtime'])
    await cp(join(ROOT, floor), join(folder, floor), { recursive: true });
  const { type, imports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type, imports }));
  const settings = { extends: '../../tsconfig.json', include: ['config', 'storage', 'actors', 'runtime'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  for (const [path, edit] of Object.entries(edits))
    await writeFile(join(folder, path), edit(await readFile(join(folder, path), 'utf8')));
  return folder;
}

async function compile(folder: string): Promise<Fault[]> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const said = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [tsc, '--pretty', 'false', '-p', folder],
      { maxBuffer: 2 ** 26 },
      (_error, out, errors) => resolve(out + errors),
    );
  });
  return [...said.matchAll(/^(?:.*?field-types-\w+\/)?([\w./-]+\.ts)\(\d+,\d+\): error (TS\d+)/gm)].map(
    ([, path, code]) => ({ path: path!, code: code! }),
  );
}

const pathsOf = (faults: readonly Fault[]): string[] => [...new Set(faults.map(({ path }) => path))].toSorted();

test('a row that is not whole does not compile, nor do the tables that lack a new word of a type, and nothing else', () => {
  expect(pathsOf(withNewType)).toEqual([...Object.keys(TABLES), TABLE].toSorted());
});

/** TS2367: a comparison that can never be true. */
test('no room compares a type by its name but the encoder of keys, which the compiler holds to all of them', () => {
  const compared = withOtherNames.filter(({ code }) => code === 'TS2367');
  expect(pathsOf(compared)).toEqual(['actors/engine/rows/keys/store.ts']);
});

/** TS2739, TS2740, TS2741: keys are missing; TS2353, TS2561: there are keys too many. */
test('no room has a table of types beside the one', () => {
  const tables = withOtherNames.filter(({ code }) => /^TS(2739|2740|2741|2353|2561)$/.test(code));
  expect(tables).toEqual([]);
});

/** Names that mean nothing else in a list of texts. */
const TELLING = ['datetime', 'decimal', 'ulid', 'bytes'];
const NAME = FIELD_TYPE_NAMES.join('|');
const LISTED = new RegExp(String.raw`'(${NAME})',\s*'(${NAME})'|\bcase '(?:${TELLING.join('|')})':`, 'g');

/** Lists of other things that have the same names. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'config/definitions/format.ts': 'formats of forms',
  'actors/data/bulk/format.ts': 'formats of exports',
  'config/intake-section.ts': 'formats of the log',
  'config/definitions/load-forms.ts': 'types of forms, which are their own',
  'actors/engine/schema/rules.ts': 'keys of a declaration',
};

function lists(text: string): string[] {
  return [...text.matchAll(LISTED)].map(([found]) => found);
}

test('no room lists types, where the compiler would not see it', () => {
  expect(lists("new Set(['integer', 'decimal'])")).toHaveLength(1);
  expect(lists("switch (type) { case 'datetime': }")).toHaveLength(1);
  const found = projectFiles(/^(config|storage|actors|runtime)\/.*\.ts$/)
    .filter(({ path }) => !path.startsWith('config/values/') && !path.startsWith('actors/engine/sql/'))
    .filter(({ path, text }) => !Object.hasOwn(OTHERWISE, path) && lists(text).length > 0);
  expect(found.map(({ path, text }) => [path, lists(text)])).toEqual([]);
});

test('rows are frozen and of one shape, which hot paths rely on', () => {
  const shapes = new Set(Object.values(FIELD_TYPES).map((row) => Object.keys(row).join(' ')));
  expect(shapes.size).toBe(1);
  expect(Object.isFrozen(FIELD_TYPES)).toBe(true);
  for (const row of Object.values(FIELD_TYPES)) expect(Object.isFrozen(row)).toBe(true);
});
