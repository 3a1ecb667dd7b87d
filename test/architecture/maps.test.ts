/** The READMEs of these rooms are whole: each names every file of its folder, and no file that is not there. */
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { projectFiles } from './project.ts';
import type { SourceFile } from './source.ts';

const ROOMS = ['runtime', 'runtime/rooms', 'runtime/supervisor', 'runtime/threads'];
const NAMED = /`([\w./{},-]+\.ts)`/g;

const files = projectFiles(/^runtime\/.*\.(?:ts|md)$/);

/** `x.ts is not named`, `x.ts is not there`. */
function gaps(room: string, all: readonly SourceFile[]): string[] {
  const readme = all.find(({ path }) => path === `${room}/README.md`);
  const named = new Set([...(readme?.text ?? '').matchAll(NAMED)].map(([, name]) => name!));
  const present = new Set(
    all.flatMap(({ path }) => (posix.dirname(path) === room && path.endsWith('.ts') ? [posix.basename(path)] : [])),
  );
  const unnamed = [...present].filter((name) => !named.has(name)).map((name) => `${name} is not named`);
  const gone = [...named].filter((name) => !name.includes('/') && !present.has(name));
  return [...unnamed, ...gone.map((name) => `${name} is not there`)];
}

test.each(ROOMS)('the map of %s', (room) => {
  expect(gaps(room, files)).toEqual([]);
});

test('a file that is not named, and a name without a file, are found', () => {
  const file = (path: string, text = ''): SourceFile => ({ path, text });
  const readme = file('runtime/x/README.md', '| `old.ts` | | `host-verbs.ts`, `runtime/y/else.ts` |');
  const planted = [readme, file('runtime/x/new.ts'), file('runtime/x/host-verbs.ts'), file('runtime/x/y/deeper.ts')];
  expect(gaps('runtime/x', planted)).toEqual(['new.ts is not named', 'old.ts is not there']);
});
