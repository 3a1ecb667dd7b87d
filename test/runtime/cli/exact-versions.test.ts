/** The versions that the package asks for: of what its dependencies need, too, as the workspace's lock has them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OUTSIDE } from '#runtime/cli/build-programs.ts';
import { exactVersions, type Lock } from '#runtime/cli/exact-versions.ts';
import { ROOT } from '#runtime/place.ts';

test('names what the dependencies need, through copies and native parts, and leaves out the rest', () => {
  const lock: Lock = {
    packages: {
      '': {},
      'node_modules/a': { version: '1.0.0', dependencies: { b: '^1.0.0', c: '^1.0.0' } },
      'node_modules/b': { version: '2.0.0' },
      'node_modules/a/node_modules/b': {
        version: '1.4.0',
        dependencies: { c: '*', d: '*' },
        optionalDependencies: { none: '1' },
      },
      'node_modules/a/node_modules/b/node_modules/d': { version: '0.1.0', dependencies: { e: '1' } },
      'node_modules/c': { version: '1.1.0', optionalDependencies: { '@s/c-linux': '1.1.0', '@s/c-wasm': '1.1.0' } },
      'node_modules/@s/c-linux': { version: '1.1.0', os: ['linux'] },
      'node_modules/@s/c-wasm': { version: '1.1.0', cpu: ['wasm32'], dependencies: { f: '1' } },
      'node_modules/f': { version: '1.0.0' },
      'node_modules/d': { version: '7.0.0' },
      'node_modules/e': { version: '3.0.0' },
      'node_modules/unneeded': { version: '1.0.0' },
    },
  };
  expect(exactVersions(lock, ['a'])).toEqual({ a: '1.0.0', c: '1.1.0', e: '3.0.0' });
  expect(exactVersions(lock, ['d', 'b'])).toEqual({ b: '2.0.0', d: '7.0.0' });
});

test('a package that the lock lacks is refused by name', () => {
  const lock: Lock = { packages: { '': {}, 'node_modules/a': { version: '1.0.0', dependencies: { gone: '1' } } } };
  expect(() => exactVersions(lock, ['a'])).toThrow('package-lock.json lacks gone, which node_modules/a needs');
  expect(() => exactVersions(lock, ['b'])).toThrow('package-lock.json lacks b, which the package needs');
});

test('what floats in the ranges of lmdb and msgpackr is fixed', () => {
  const lock = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')) as Lock;
  const versions = exactVersions(lock, ['lmdb', 'msgpackr']);
  expect(Object.keys(versions)).toEqual(
    expect.arrayContaining(['msgpackr-extract', 'ordered-binary', 'weak-lru-cache']),
  );
  for (const [name, version] of Object.entries(versions))
    expect(lock.packages[`node_modules/${name}`]!.version).toBe(version);
});

test('nothing is asked for that one platform alone can install', () => {
  const lock = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')) as Lock;
  const bound = Object.keys(exactVersions(lock, OUTSIDE)).filter((name) => {
    const { os, cpu } = lock.packages[`node_modules/${name}`]!;
    return os !== undefined || cpu !== undefined;
  });
  expect(bound).toEqual([]);
});
