/** The JSON Schemas of files, held against our loader by a second implementation of JSON Schema. */
import { globSync, readFileSync } from 'node:fs';
import { matchesGlob, relative } from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { fileKinds, type FileKind, type FileKindName } from '#config/file-kinds.ts';
import { generateBootstrapDev } from '#config/generate.ts';
import { jsonSchemaOf } from '#config/json-schema.ts';
import { keysOf } from '#config/schema-walk.ts';
import { ROOT } from '#runtime/place.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { OF_EACH_TYPE, placesIn, valueAt, withValue, writtenFile, type Place } from './written-file.ts';

const kinds = Object.entries(fileKinds) as [FileKindName, FileKind][];
const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: false });
const validators = new Map(kinds.map(([name, kind]) => [name, ajv.compile(jsonSchemaOf(kind))]));

function takes(name: FileKindName, value: unknown): boolean {
  return validators.get(name)!(value);
}

test('each is a schema of the draft that it names', () => {
  for (const [name, kind] of kinds) expect(ajv.validateSchema(jsonSchemaOf(kind)), name).toBe(true);
});

/** Editors whose language server knows draft 7 alone read them as well: no keyword is younger, and none has changed its meaning since. */
test.each(kinds)('%s has keywords of draft 7 alone', (_name, kind) => {
  const { $schema: _, ...schema } = jsonSchemaOf(kind);
  const seven = new Ajv({ strict: true, strictTypes: false });
  expect(seven.validateSchema(schema)).toBe(true);
  expect(() => seven.compile(schema)).not.toThrow();
});

const CHECKOUTS = [
  ...globSync(['test/kit/products/*', 'config/samples/templates/*/product'], { cwd: ROOT }),
  ...globSync('config/samples/templates/*', { cwd: ROOT }),
  'config/samples/demo/atlas',
  'config/samples/demo',
];
const files = globSync(['test/kit/products/**/*.yaml', 'config/samples/**/*.yaml'], { cwd: ROOT });

/** The kinds whose globs a file meets, below the deepest of these folders that it lies in. */
function kindsOf(file: string): FileKindName[] {
  const checkout = CHECKOUTS.find((folder) => file.startsWith(`${folder}/`))!;
  const path = relative(checkout, file);
  return kinds.flatMap(([name, { files: globs }]) => (globs.some((glob) => matchesGlob(path, glob)) ? [name] : []));
}

const DEMO = 'config/samples/demo/demo.yaml';

test.each(files.filter((file) => file !== DEMO))('%s is of one kind, and its schema takes it', (file) => {
  const [name, ...others] = kindsOf(file);
  expect(others).toEqual([]);
  const validate = validators.get(name!)!;
  expect(validate(parse(readFileSync(`${ROOT}${file}`, 'utf8'))), JSON.stringify(validate.errors)).toBe(true);
});

test('there are files of every kind but one, which the property below writes', () => {
  const found = new Set(files.flatMap((file) => (file === DEMO ? ['platform'] : kindsOf(file))));
  const missing = kinds.map(([name]) => name).filter((name) => !found.has(name));
  expect(missing.filter((name) => name !== 'policies')).toEqual([]);
});

test('the platform files that we print and ship are taken', () => {
  const sample = readFileSync(`${ROOT}${DEMO}`, 'utf8');
  for (const text of [generateBootstrapDev(), sample]) {
    const validate = validators.get('platform')!;
    expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true);
  }
});

test('a variable may stand for every scalar where the loader reads variables, and nowhere else', () => {
  expect(takes('platform', { gateway: { drain_notice: '${NOTICE}' }, hosts: '${HOSTS}' })).toBe(true);
  expect(takes('platform', { hosts: 'four' })).toBe(false);
  expect(takes('platform', { hosts: ['${HOSTS}'] })).toBe(false);
  expect(takes('product', { name: '${PRODUCT}' })).toBe(true);
  const field = (required: unknown) => ({ entities: { city: { fields: { name: { type: 'string', required } } } } });
  expect(takes('entity', field(true))).toBe(true);
  expect(takes('entity', field('${REQUIRED}'))).toBe(false);
  const form = (to: unknown, type = 'email') => ({
    id: 'contact',
    fields: { mail: { type } },
    notify: { email: { to } },
  });
  expect([form('${TEAM}'), form('team@example.org'), form(['${TEAM}'])].map((one) => takes('form', one))).toEqual([
    true,
    true,
    true,
  ]);
  expect([form('no address'), form([]), form('${TEAM}', '${TYPE}')].map((one) => takes('form', one))).toEqual([
    false,
    false,
    false,
  ]);
});

/** What only a schema of ours can judge: a duration, a URL, keys that exclude one another. */
const isOurs = (issues: readonly unknown[]): boolean => JSON.stringify(issues).includes('"code":"custom"');

/** The row of the reference that a place belongs to. */
function keyAt(keys: readonly (readonly string[])[], place: Place): string | undefined {
  const fits = (part: string, here: string | number) =>
    typeof here === 'number' ? part === '[]' : part === here || part === '<name>';
  const found = keys.filter((key) => key.length === place.length && key.every((part, at) => fits(part, place[at]!)));
  return found
    .sort((a, b) => a.filter((part) => part === '<name>').length - b.filter((part) => part === '<name>').length)[0]
    ?.join('.');
}

/** The map with a key that it does not know, and without each of its keys. */
function keyMistakes(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const entries = Object.entries(value);
  const without = entries.map(([gone]) => Object.fromEntries(entries.filter(([key]) => key !== gone)));
  return [{ ...value, wrong_Key: 1 }, ...without];
}

const RUNS = { numRuns: rounds({ suite: 1, ci: 1 }) };
/** A rule of several keys may refuse the files that were written for a key: so many more are written, until one is taken. */
const MORE_FILES = 60;

test.each(kinds)(
  '%s: whatever the loader takes is taken, and what it refuses for a key or a type is refused, at every key of the reference',
  { timeout: 120_000 },
  (name, kind) => {
    const keys = keysOf(kind.schema).map(({ path }) => path);
    const reached = new Set<string>();
    const counts = { taken: 0, refused: 0, ours: 0 };
    const judge = (value: unknown, place: Place): void => {
      const { error } = kind.schema.safeParse(value);
      if (error !== undefined && isOurs(error.issues)) {
        counts.ours += 1;
        return;
      }
      const isTaken = error === undefined;
      if (takes(name, value) !== isTaken) expect.fail(JSON.stringify({ place, value, issues: error?.issues }));
      counts[isTaken ? 'taken' : 'refused'] += 1;
      const key = isTaken ? undefined : keyAt(keys, place);
      if (key !== undefined) reached.add(key);
    };
    const mistakesIn = (file: unknown): void => {
      judge(file, []);
      if (!kind.schema.safeParse(file).success) return;
      for (const place of placesIn(file)) {
        for (const other of OF_EACH_TYPE) judge(withValue(file, place, other), place);
        for (const other of keyMistakes(valueAt(file, place))) judge(withValue(file, place, other), place);
      }
    };
    for (const wanted of keys) fc.assert(fc.property(writtenFile(kind.schema, wanted), mistakesIn), RUNS);
    const said = Map.groupBy(keysOf(kind.schema), ({ path }) => path.join('.'));
    const ofAnyType = [...said].filter(([, rows]) => rows.every(({ takes: words }) => words.startsWith('a value')));
    const free = new Set(ofAnyType.map(([key]) => key));
    for (const [key, rows] of said) {
      if (free.has(key) || reached.has(key)) continue;
      for (const file of fc.sample(writtenFile(kind.schema, rows[0]!.path), MORE_FILES)) {
        mistakesIn(file);
        if (reached.has(key)) break;
      }
    }
    const missed = [...said.keys()].filter((key) => !reached.has(key));
    expect(missed).toEqual([...free]);
    expect(counts.refused).toBeGreaterThan(10 * reached.size);
    expect(counts.taken).toBeGreaterThan(reached.size);
  },
);
