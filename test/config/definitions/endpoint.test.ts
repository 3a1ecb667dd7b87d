/** Endpoint definitions: what they may say, and what is wrong with file, line and column. Source: docs/contract/data-behaviour.md §3.1. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { EndpointDefinition } from '#config/definitions/product.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-endpoint-'));
  write('product.yaml', 'name: atlas\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

function endpoints(): readonly EndpointDefinition[] {
  const loaded = loadProduct(dir);
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.product.endpoints ?? [];
}

function problems(): string[] {
  const loaded = loadProduct(dir);
  return 'problems' in loaded ? loaded.problems.map(({ line, column, message }) => `${line}:${column} ${message}`) : [];
}

describe('what it says', () => {
  test.each([
    ['query', 'GET'],
    ['mutate', 'POST'],
  ])('a %s endpoint takes %s unless it names another verb', (kind, verb) => {
    write('endpoints/a.yaml', `path: a/b\nkind: ${kind}\nauth: public\nscript: "return 1;"\n`);
    expect(endpoints()).toMatchObject([
      {
        path: 'a/b',
        kind,
        verb,
        auth: 'public',
        rate: null,
        cacheMs: 0,
        headers: [],
        refusals: 'wrap',
        source: 'return 1;',
      },
    ]);
  });

  test('rate, cache and headers; the script in a file beside it', () => {
    write('endpoints/top.js', 'return 2;\n');
    write(
      'endpoints/a.yaml',
      'path: a\nkind: query\nauth: user\nrate: { burst: 5, per_second: 0.5 }\ncache_ttl: 30s\nheaders: [accept-language]\nscript: ./top.js\n',
    );
    expect(endpoints()).toMatchObject([
      { rate: { burst: 5, perSecond: 0.5 }, cacheMs: 30_000, headers: ['accept-language'], source: 'return 2;\n' },
    ]);
  });

  test('one path may have several verbs', () => {
    write('endpoints/a.yaml', 'path: a\nkind: query\nauth: user\nscript: "return 1;"\n');
    write('endpoints/b.yaml', 'path: a\nkind: mutate\nauth: user\nscript: "return 1;"\n');
    expect(endpoints().map(({ verb }) => verb)).toEqual(['GET', 'POST']);
  });
});

describe('what is refused', () => {
  const good = { path: 'a', kind: 'query', auth: 'user', script: '"return 1;"' };
  test.each([
    ['a path with a slash in front', { path: '/a' }],
    ['a path with dots between slashes only', { path: 'a//b' }],
    ['another auth', { auth: 'everybody' }],
    ['another kind', { kind: 'both' }],
    ['a header that identifies the caller', { headers: '[authorization]' }],
    ['a cached mutation', { kind: 'mutate', cache_ttl: '1s' }],
    ['a script that is not there', { script: './gone.js' }],
    ['a script outside', { script: '../product.js' }],
    ['an unknown key', { colour: 'red' }],
  ])('%s', (_name, change) => {
    const text = Object.entries({ ...good, ...change }).map(([key, value]) => `${key}: ${value}\n`);
    write('endpoints/a.yaml', text.join(''));
    expect(problems()).toHaveLength(1);
    expect(problems()[0]).toMatch(/^[1-9]\d*:\d+ /);
  });

  test('the same verb and path twice', () => {
    const text = 'path: a\nkind: query\nauth: user\nscript: "return 1;"\n';
    write('endpoints/a.yaml', text);
    write('endpoints/b.yaml', text);
    expect(problems()).toEqual([expect.stringContaining('GET a is declared twice')]);
  });
});
