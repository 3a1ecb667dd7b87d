import { expect, test } from 'vitest';
import { projectFiles } from './project.ts';
import { checkReadmes, FILES_WITHOUT_README_MAX, roomsOf } from './readmes.ts';

const PLAN = {
  floors: ['client', 'config', 'storage', 'actors', 'runtime', 'bench'],
  rooms: ['test/kit', 'test/storage'],
};

/** Rooms whose READMEs are not complete yet. The list only shrinks: a room that is complete leaves it. */
const NOT_YET: readonly string[] = [];

const files = projectFiles(
  /^(?:client|config|storage|actors|runtime|bench|test\/kit|test\/storage)\/.*(?:\.ts|README\.md)$/,
);

/** The room of a violation: two levels of its path. */
const roomOf = (path: string) =>
  path
    .split('/')
    .slice(0, Math.min(2, path.split('/').length - 1))
    .join('/');

test('every room has a README that names each of its files', () => {
  const found = checkReadmes(files, PLAN).filter(({ path }) => !NOT_YET.includes(roomOf(path)));
  expect(found.map(({ path, what }) => `${path} ${what}`)).toEqual([]);
});

test('the list of rooms that are not complete holds no other', () => {
  const open = new Set(checkReadmes(files, PLAN).map(({ path }) => roomOf(path)));
  expect(NOT_YET.filter((room) => !open.has(room))).toEqual([]);
});

const SMALL = { floors: ['actors'], rooms: ['test/kit'] };
const code = (...paths: readonly string[]) => paths.map((path) => ({ path, text: '' }));
const readme = (room: string, text: string) => ({ path: `${room}/README.md`, text });
const many = Array.from({ length: FILES_WITHOUT_README_MAX + 1 }, (_, no) => `actors/kit/file-${no}.ts`);
const judge = (...found: readonly { path: string; text: string }[]) =>
  checkReadmes(found, SMALL).map(({ rule, path }) => `${rule} ${path}`);

test('rooms are floors, their folders, deeper folders with a README, and the single ones', () => {
  const paths = [
    'actors/a.ts',
    'actors/kit/b.ts',
    'actors/kit/jq/c.ts',
    'actors/kit/jq/README.md',
    'actors/kit/x/d.ts',
  ];
  expect(roomsOf([...paths, 'docs/e.ts'], SMALL)).toEqual(['actors', 'actors/kit', 'actors/kit/jq', 'test/kit']);
});

test('caught: a room without a README', () => {
  const found = judge(...code('actors/a.ts', 'test/kit/b.ts'));
  expect(found).toEqual(['readme actors/README.md', 'readme test/kit/README.md']);
});

test('caught: a room of many files that only the README around it describes; one of few files may be', () => {
  const around = [readme('actors', '`file-*.ts`'), readme('test/kit', '')];
  expect(judge(...around, ...code(...many))).toEqual(['readme actors/kit/README.md']);
  expect(judge(...around, ...code(...many.slice(1)))).toEqual([]);
});

test('caught: a file that its README does not name, and one that only the README of another room names', () => {
  const rooms = [
    readme('actors', '`b.ts`'),
    readme('actors/kit', '`kit/a.ts` `other/b.ts` b.ts'),
    readme('test/kit', ''),
  ];
  expect(judge(...rooms, ...code('actors/kit/a.ts', 'actors/kit/b.ts'))).toEqual([
    'unnamed actors/kit/a.ts',
    'unnamed actors/kit/b.ts',
  ]);
});

test('named: by its name, by the end of its path, by a pattern, in braces', () => {
  const rooms = [readme('actors', ''), readme('test/kit', '')];
  const kit = readme('actors/kit', '`a.ts`, `in/b.ts`, `read-*.ts`, `x/{c,d}.ts`');
  const named = ['a.ts', 'in/b.ts', 'read-x.ts', 'in/read-y.ts', 'x/c.ts', 'x/d.ts', 'in/a.ts'];
  expect(judge(...rooms, kit, ...code(...named.map((name) => `actors/kit/${name}`)))).toEqual([]);
});

test('caught: a pattern that says nothing of the name, and the beginning of a name', () => {
  const rooms = [readme('actors', ''), readme('test/kit', ''), readme('actors/kit', '`*.ts` `in/*.ts` `read.ts`')];
  expect(judge(...rooms, ...code('actors/kit/in/a.ts', 'actors/kit/spread.ts'))).toEqual([
    'unnamed actors/kit/in/a.ts',
    'unnamed actors/kit/spread.ts',
  ]);
});
