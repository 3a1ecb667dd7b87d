/** Bundles that load faster say the same. */
import { runInThisContext } from 'node:vm';
import { expect, test } from 'vitest';
import { httpWithoutUndici, inAscii } from '#runtime/cli/faster-to-load.ts';

const evaluated = (code: string): unknown => runInThisContext(code);

test.each([
  ['a text', '"Zürich → 東京 😀"'],
  ['a template', '`naïve ${"é"}`'],
  ['an escaped character', '"\\é\\\\é"'],
  ['an expression', '/^[é-ü😀]+$/u.exec("éü😀")[0]'],
  ['a name', '(() => { const größe = 3; return { größe }; })()'],
  ['a comment', '3 /* größer */'],
])('%s in ASCII has the same value', (_, code) => {
  const ascii = inAscii(code);
  expect(ascii).toMatch(/^[\0-\x7F]*$/);
  expect(evaluated(ascii)).toEqual(evaluated(code));
});

test('imports of node:http become a look at the module itself; no other line changes', () => {
  const other = 'import { connect } from "node:net";\nconst text = \'import { a } from "node:http";\';';
  expect(httpWithoutUndici(`import { METHODS, request as ask } from "node:http";\n${other}`)).toBe(
    `const { METHODS, request: ask } = process.getBuiltinModule("node:http");\n${other}`,
  );
});

test('so do imports of a bundle that was packed into one line', () => {
  const packed = 'import{connect}from"node:net";import{METHODS,request as ask}from"node:http";ask();';
  expect(httpWithoutUndici(packed)).toBe(
    'import{connect}from"node:net";const { METHODS,request: ask } = process.getBuiltinModule("node:http");ask();',
  );
});
