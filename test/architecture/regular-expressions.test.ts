/**
 * Regular expressions of the engine try a text in every way that their quantifiers allow. Two kinds are quadratic in the text, and look
 * innocent: one run that two quantifiers can share, and an end that is looked for from every place.
 */
import { expect, test } from 'vitest';
import { projectFiles } from './project.ts';

interface Found {
  readonly path: string;
  readonly source: string;
}

/** Texts of these are short by themselves, or ours. */
const SHORT: Readonly<Record<string, string>> = {
  'actors/courier/smtp.ts': 'the sender of the platform file',
  'actors/engine/sql/expression/literal.ts': 'a decimal of at most a thousand characters, with one point',
  'actors/engine/sql/value/float.ts': 'the digits of a double',
  'actors/kit/jq/reference.ts': 'what jq says of a program',
  'actors/kit/script/script-fault.ts': 'a line of a stack',
  'config/yaml-file.ts': 'what the library says of a file of the operator',
  'actors/vault/authority/responder.ts': 'as long as the base64 of what it holds',
  'runtime/cli/vault-identities.ts': 'a path of the operator',
  'actors/data/bulk/read-csv.ts': 'what the library says of a fault',
};

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const LITERAL =
  /(?<=[=(,:?[]\s*|return |\| |&& )\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])*)\/[a-z]*/gm;

const ATOM = String.raw`(\\[dwsDWS]|\[(?:\\.|[^\]\\])*\]|[A-Za-z0-9.=])`;
/** `\d+\.?\d*`: what stands between the two may be missing. */
const SHARED = new RegExp(String.raw`${ATOM}[+*](?:\\?[^\\()[\]|]\?)*\1[+*]`);
/** `0+$` without a beginning. */
const SOUGHT = new RegExp(String.raw`^(?!\^|\(\?<)(?:.*[^\\|^])?${ATOM}[+*]\$$`);

function slow(source: string): boolean {
  return SHARED.test(source) || (SOUGHT.test(source) && !source.startsWith('^'));
}

function found(files: readonly { readonly path: string; readonly text: string }[]): Found[] {
  return files.flatMap(({ path, text }) =>
    [...text.replaceAll(COMMENT, ' ').matchAll(LITERAL)].map(([, source]) => ({ path, source: source! })),
  );
}

const all = found(projectFiles(/^(?:config|storage|actors|runtime)\/.*\.ts$/));

test('no expression of the code is quadratic in a text that a caller sends', () => {
  expect(all.length).toBeGreaterThan(200);
  expect(all.filter(({ path, source }) => slow(source) && !Object.hasOwn(SHORT, path))).toEqual([]);
});

test('every exception is one', () => {
  const needed = new Set(all.filter(({ source }) => slow(source)).map(({ path }) => path));
  expect(Object.keys(SHORT).filter((path) => !needed.has(path))).toEqual([]);
});

test.each([
  String.raw`^[+-]?(?:\d+\.?\d*|\.\d+)$`,
  '0+$',
  String.raw`\.?0+$`,
  '=+$',
  String.raw`>?\s*$`,
  '[a-z]*[a-z]+x',
])('%s is found', (source) => {
  expect(slow(source)).toBe(true);
});

test.each([String.raw`^\d+(?:\.\d*)?$`, '^[a-z]+$', String.raw`^\s*a\s*$`, String.raw`\d{1,3}x+`, '^a+b*$'])(
  '%s is none',
  (source) => {
    expect(slow(source)).toBe(false);
  },
);
