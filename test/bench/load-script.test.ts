import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { loadScript, luaString, OUTPUT_MARK } from '#bench/kit/load-script.ts';

/** Reads a Lua string literal back, as Lua 5.1 §2.1 does. */
function readLua(literal: string): string {
  const inside = literal.slice(1, -1).replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number(code)));
  return Buffer.from(inside, 'latin1').toString('utf8');
}

test('any text becomes one plain Lua literal that reads back as itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const literal = luaString(text);
      expect(literal).toMatch(/^"(?:[ !#-[\]-~]|\\\d{3})*"$/);
      expect(readLua(literal)).toBe(text);
    }),
  );
});

test('a fixed request runs no Lua per request', () => {
  const script = loadScript({ method: 'POST', headers: { 'X-Tenant': 'main' }, body: ['{"a":', '1}'] }, 'r1');
  expect(script).toContain('wrk.method = "POST"');
  expect(script).toContain('wrk.headers["X-Tenant"] = "main"');
  expect(script).toContain(String.raw`wrk.body = "{\034a\034:" .. "1}"`);
  expect(script).not.toContain('function request');
  expect(script).toContain(OUTPUT_MARK);
});

test('a request without a body sets none', () => {
  expect(loadScript({ method: 'GET', headers: {}, body: null }, 'r1')).not.toContain('wrk.body');
});

test('a changing body is made for each request, with the run and the thread in its unique part', () => {
  const body = ['{"name":"', { kind: 'unique' }, '","n":', { kind: 'random', below: 10 }, '}'] as const;
  const script = loadScript({ method: 'POST', headers: {}, body }, 'r1x');
  expect(script).toContain(String.raw`.. unique() .. "\034,\034n\034:" .. random(0, 9) .. "}"`);
  expect(script).toContain('"%08x r1x %d-%d"');
  expect(script).toContain('thread:set("number", threads)');
});
