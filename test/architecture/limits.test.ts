/** Every number of config/limits.ts is read by code of the product: one that nothing reads promises a bound that there is not. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { projectFiles } from './project.ts';

/** Groups that are taken whole: by a name out of a row, or as options of something. */
const WHOLE: ReadonlySet<string> = new Set(['rates', 'jobs.resources']);
const DECLARED = /^config\/(?:[a-z-]+-)?limits\.ts$/;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

interface Source {
  readonly path: string;
  readonly text: string;
}

const all = projectFiles(/^(?:config|storage|actors|runtime)\/.*\.ts$/);
const sources = all.filter(({ path }) => !DECLARED.test(path));
const declared = all.filter(({ path }) => DECLARED.test(path) && path !== 'config/limits.ts');

/** Paths of the limits that no file reads: none that has to do with limits says its name. */
function unread(tree: object, sources: readonly Source[]): string[] {
  const code = sources.map(({ text }) => text.replaceAll(COMMENT, ' ')).filter((text) => /\b\w*[lL]imits\b/.test(text));
  const words = new Set(code.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? []));
  // One limit may be made of another.
  for (const { text } of declared)
    for (const [, name] of text.matchAll(/\b\w*[lL]imits(?:\.\w+)*\.(\w+)/g)) words.add(name!);
  const walk = (value: unknown, path: string): string[] => {
    if (WHOLE.has(path)) return [];
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return words.has(path.slice(path.lastIndexOf('.') + 1)) ? [] : [path];
    return Object.entries(value).flatMap(([name, inner]) => walk(inner, path === '' ? name : `${path}.${name}`));
  };
  return walk(tree, '');
}

test('every limit is read', () => {
  expect(unread(limits, sources)).toEqual([]);
});

test('one that only a comment or its own declaration names is found', () => {
  const planted = { door: { ...limits.door, chairBytesMax: 1 }, vault: { depthMaxOfNothing: 2 } };
  const naming = { path: 'actors/x.ts', text: '// limits.door.chairBytesMax\n/* depthMaxOfNothing */ limits.door;' };
  expect(unread(planted, [...sources, naming])).toEqual([
    ...unread(limits, sources),
    'door.chairBytesMax',
    'vault.depthMaxOfNothing',
  ]);
});
