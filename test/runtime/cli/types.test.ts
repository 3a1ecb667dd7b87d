/** `skep types` as it is called; what it writes: test/runtime/client-types. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { filesOf } from '#runtime/cli/new-product.ts';
import { skep } from './recorder.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-types-verb-'));
const file = join(dir, 'platform.yaml');
afterAll(() => rmSync(dir, { recursive: true }));
for (const { path, text } of await filesOf('help-desk', 'desk')) {
  mkdirSync(join(dir, dirname(path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

test('prints the types of a tenant, or writes them into a file', async () => {
  const { code, out, err } = await skep(`types -f ${file} --tenant acme:desk:dev:main`);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('export interface Ticket {');
  const to = join(dir, 'schema.ts');
  expect(await skep(`types -f ${file} --tenant acme:desk:dev:main --to ${to}`)).toEqual({ code: 0, out: '', err: '' });
  expect(readFileSync(to, 'utf8')).toBe(out);
});

test('a tenant that is not there is wrong usage, and the nearest is named', async () => {
  const { code, out, err } = await skep(`types -f ${file} --tenant acme:desk:dev:mian`);
  expect([code, out]).toEqual([2, '']);
  expect(err).toBe(
    'skep: the platform file has no tenant acme:desk:dev:mian\n    did you mean "acme:desk:dev:main"?\n',
  );
});

test('without a checkout on this machine it says where to put one; faults of definitions are named', async () => {
  const without = readFileSync(file, 'utf8').replace(
    'localdir: ./product',
    'product_source: https://example.org/desk.tar.gz',
  );
  const other = join(dir, 'other.yaml');
  writeFileSync(other, without);
  expect((await skep(`types -f ${other} --tenant acme:desk:dev:main`)).code).toBe(2);
  writeFileSync(
    join(dir, 'product/entities/faulty.yaml'),
    'entities: { faulty: { fields: { a: { type: sting } } } }\n',
  );
  const { code, err } = await skep(`types -f ${file} --tenant acme:desk:dev:main`);
  expect([code, err]).toEqual([2, expect.stringContaining('faulty.yaml:1')]);
});
