import { readFileSync } from 'node:fs';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { expect, test } from 'vitest';
import { billOfMaterials } from '#runtime/cli/bill-of-materials.ts';
import { assertLicence } from '#runtime/cli/licences.ts';
import { packageJson } from '#runtime/cli/pack-release.ts';
import { ROOT } from '#runtime/place.ts';

const read = (name: string): never => JSON.parse(readFileSync(`${ROOT}${name}`, 'utf8')) as never;
const packed = packageJson(read('package.json'), read('package-lock.json'));
const contents = {
  bundled: ['node_modules/zod', ''],
  console: ['console/node_modules/react'],
  site: ['node_modules/vue'],
  packed,
};

test('it is CycloneDX 1.6, the same text each time, and each package of a registry has its hash', async () => {
  const text = billOfMaterials(contents);
  expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull();
  expect(billOfMaterials(contents)).toBe(text);
  const { components } = JSON.parse(text) as { components: { name: string; hashes?: { content: string }[] }[] };
  for (const { name, hashes } of components) expect(hashes?.[0]?.content, name).toMatch(/^[0-9a-f]{128}$/);
  const names = components.map(({ name }) => name);
  // The parts of lmdb for each system hold its native code.
  for (const name of ['zod', 'react', 'vue', 'lmdb', '@lmdb/lmdb-linux-x64', 'sharp', 'uws-pack'])
    expect(names).toContain(name);
});

test('what no lock file has stops it', () => {
  expect(() => billOfMaterials({ ...contents, bundled: ['node_modules/not-there'] })).toThrow(
    'the lock file lacks node_modules/not-there',
  );
  expect(() => billOfMaterials({ ...contents, console: ['console/node_modules/zod'] })).toThrow(
    'the lock file lacks console/node_modules/zod',
  );
});

test('a licence is one of those that were reviewed, for this package', () => {
  expect(assertLicence('a', '(MIT OR Apache-2.0)')).toBe('(MIT OR Apache-2.0)');
  expect(assertLicence('@img/sharp-libvips-linux-x64', 'LGPL-3.0-or-later')).toBe('LGPL-3.0-or-later');
  expect(() => assertLicence('a', 'LGPL-3.0-or-later')).toThrow('the package a has the licence LGPL-3.0-or-later');
  expect(() => assertLicence('a', 'MIT AND AGPL-3.0-only')).toThrow('AGPL-3.0-only');
  expect(() => assertLicence('a', undefined)).toThrow('names no licence');
});
