/** The table of the attacks that tenants make (test/campaign/tenant-attacks.ts), held against the tests that play them: each is there, ran and passed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attacks } from '#bench/hostile/attacks.ts';
import { ROOT } from '#runtime/place.ts';
import { ON_NEIGHBOURS, TENANT_ATTACKS } from '#test/campaign/tenant-attacks.ts';

/** What issue and page promise. */
const AT_LEAST = 60;

test('there are enough of them, each once', () => {
  const names = TENANT_ATTACKS.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(AT_LEAST);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  const titles = TENANT_ATTACKS.map(({ proof }) => `${proof.file} ${proof.title}`);
  expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
});

test('those on neighbours are attacks of the bench, of the kind that the table says', () => {
  const kinds = new Map(attacks.map(({ name, kind }) => [name, kind]));
  for (const { kind, names } of ON_NEIGHBOURS)
    for (const name of names) expect([name, kinds.get(`${kind}-${name}`)]).toEqual([name, kind]);
});

for (const { name, proof } of TENANT_ATTACKS)
  test(name, ({ task }) => {
    // The reporter judges at the end whether that test ran and passed.
    task.meta.cites = [proof];
    expect(readFileSync(join(ROOT, proof.file), 'utf8')).toContain(proof.title.split(' > ').at(-1));
  });
