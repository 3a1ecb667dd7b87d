/** The client as `skep new` puts it beside a page, and the page of the help desk as `tsc` judges it: right as it is, and wrong with one wrong field. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildClient, declarations } from '#runtime/cli/build-client.ts';
import { CLIENT_DECLARATIONS, CLIENT_MODULE, clientFiles } from '#runtime/cli/client-files.ts';
import { ROOT } from '#runtime/place.ts';
import { errorsIn, strictErrors, tsc } from '#test/kit/strict-tsc.ts';
import { skep } from './recorder.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-client-files-'));
afterAll(() => rmSync(dir, { recursive: true }));

test('the build has the same files as are made without one', async () => {
  const built = await clientFiles();
  expect(Object.keys(built)).toEqual([CLIENT_MODULE, CLIENT_DECLARATIONS]);
  expect(Object.values(built)).toEqual(await buildClient());
  vi.stubEnv('SKEP_DIST', '');
  expect(await clientFiles()).toEqual(built);
  vi.unstubAllEnvs();
  // The bundler is a tool of the clone: no program of the package holds it.
  expect(readdirSync(`${ROOT}dist`).filter((name) => name.includes('build-client'))).toEqual([]);
});

test('the module imports nothing, and exports what the package of the client does', async () => {
  const { [CLIENT_MODULE]: text } = await clientFiles();
  writeFileSync(join(dir, 'client.mjs'), text!);
  const [made, sources] = await Promise.all([
    import(join(dir, 'client.mjs')) as Promise<object>,
    import('#client/index.ts'),
  ]);
  expect(Object.keys(made).sort()).toEqual(Object.keys(sources).sort());
  expect(text).not.toMatch(/\bimport\s*[{*'"(]|\brequire\(|node:/);
  const { version } = JSON.parse(readFileSync(`${ROOT}client/package.json`, 'utf8')) as { version: string };
  expect(text!.split('\n')[0]).toContain(`@skep/client ${version}`);
});

test('its declarations say the same as its sources, of wrong lines too', async () => {
  const { [CLIENT_MODULE]: module, [CLIENT_DECLARATIONS]: text } = await clientFiles();
  const schema = readFileSync(`${ROOT}test/client/types/schema.ts`, 'utf8');
  const lines = readFileSync(`${ROOT}test/client/types/lines.ts`, 'utf8').replace(
    '#client/index.ts',
    './skep-client.js',
  );
  writeFileSync(join(dir, CLIENT_MODULE), module!);
  for (const [name, content] of Object.entries({
    [CLIENT_DECLARATIONS]: text!,
    'schema.ts': schema,
    'lines.ts': lines,
  }))
    writeFileSync(join(dir, name), content);
  const lib = ['es2023', 'dom', 'dom.iterable'];
  const module_ = { module: 'esnext', moduleResolution: 'bundler', allowImportingTsExtensions: true };
  const options = {
    ...module_,
    target: 'es2022',
    lib,
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  };
  const more = { ...options, noUncheckedIndexedAccess: true };
  expect(await errorsIn(dir, more, ['lines.ts', CLIENT_DECLARATIONS])).toEqual([]);
});

describe('declarations of several modules in one file', () => {
  const of = (modules: Readonly<Record<string, string>>) => declarations((path) => modules[path]!);

  test('are there once, and what the entry does not export is not exported', async () => {
    const text = of({
      'index.ts': `export type { Out } from './a.ts';\nexport { make } from './b.ts';`,
      'a.ts': `import type { In } from './b.ts';\nexport interface Out { readonly of: In }`,
      'b.ts': `import type { Out } from './a.ts';\nexport type In = number;\nexport function make(): Out { return { of: 1 }; }`,
    });
    const use = (names: string) =>
      `import { make } from './made.ts';\nimport type { ${names} } from './made.ts';\nexport const of: Out = make();`;
    expect(await strictErrors({ 'made.ts': `declare global {}\n${text}`, 'use.ts': use('Out') })).toEqual([]);
    expect(await strictErrors({ 'made.ts': text, 'use.ts': use('Out, In') })).toEqual([expect.stringContaining('In')]);
  });

  test.each([
    [
      'two of one name',
      {
        'index.ts': `export { a } from './a.ts';\nexport const b = 1;`,
        'a.ts': `export const a = 1;\nexport const b = 2;`,
      },
      'both declare b',
    ],
    [
      'a changed name',
      { 'index.ts': `export { a as b } from './a.ts';`, 'a.ts': `export const a = 1;` },
      'a name is changed',
    ],
    ['an inferred type', { 'index.ts': `export const a = [1].map(String);` }, 'client/index.ts: '],
  ])('are refused: %s', (_what, modules, fault) => {
    expect(() => of(modules)).toThrow(fault);
  });
});

describe('the page of the help desk', () => {
  const desk = join(dir, 'desk');
  const page = (name: string) => join(desk, 'product/web', name);

  beforeAll(async () => {
    expect((await skep(`new desk --template help-desk --dir ${desk}`)).code).toBe(0);
    const to = join(desk, 'schema.ts');
    const types = `types -f ${join(desk, 'platform.yaml')} --tenant acme:desk:dev:main --to ${to}`;
    expect((await skep(types)).code).toBe(0);
  });
  const faults = (): Promise<string> =>
    tsc('-p', desk).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    );

  test('is right as it is written', async () => {
    expect(await faults()).toBe('');
  });

  test.each([
    [
      'a field of a list',
      'tickets.js',
      "'priority', 'created_at'",
      "'urgency', 'created_at'",
      `Type '"urgency"' is not assignable`,
    ],
    ['a field of a row', 'tickets.js', 'ticket.subject', 'ticket.title', "Property 'title' does not exist"],
    [
      'a field of a create',
      'tickets.js',
      'text: text || null',
      'body: text',
      "'body' does not exist in type 'TicketCreate'",
    ],
    ['a value of an enum', 'tickets.js', 'solved:', 'resolved:', "'resolved' does not exist"],
    ['an event of the stateflow', 'ticket.js', 'reopen:', 'open_again:', "'open_again' does not exist"],
    ['a condition', 'ticket.js', 'where: { ticket_id: id }', 'where: { ticket: id }', "'ticket' does not exist"],
  ])('is refused with a clear message for %s that is wrong', async (_what, file, right, wrong, message) => {
    const text = readFileSync(page(file), 'utf8');
    expect(text.split(right).length).toBe(2);
    writeFileSync(page(file), text.replace(right, wrong));
    try {
      const found = await faults();
      expect(found).toContain(message);
      expect(found).toMatch(new RegExp(`product/web/${file}\\(\\d+,\\d+\\): error`));
    } finally {
      writeFileSync(page(file), text);
    }
  });

  test('each file that it names is one of the template, and no script writes HTML', () => {
    const html = readFileSync(page('index.html'), 'utf8');
    const named = [...html.matchAll(/(?:src|href)="\/([\w-]+\.\w+)"/g)].map(([, name]) => name!);
    expect(named.length).toBe(3);
    for (const name of named) expect(() => readFileSync(page(name))).not.toThrow();
    for (const name of ['desk.js', 'dom.js', 'live.js', 'session.js', 'skep.js', 'ticket.js', 'tickets.js'])
      expect(readFileSync(page(name), 'utf8')).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/,
      );
  });
});
