/** `changes.groups` of `product.yaml`: what is declared, and what is found wrong in it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { loadProduct } from '#config/definitions/load-product.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-groups-'));
  mkdirSync(join(dir, 'entities'));
  const entity = (name: string, more: string): void =>
    writeFileSync(
      join(dir, 'entities', `${name}.yaml`),
      `entities:\n  ${name}:\n    fields: { title: { type: string } }\n${more}`,
    );
  entity('note', '    changes: true\n');
  entity('quiet', '');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function load(groups: string, roles = 'clerk: sorts mail') {
  writeFileSync(
    join(dir, 'product.yaml'),
    `name: shop\nroles: { ${roles} }\nchanges:\n  groups:\n    ${groups.replaceAll('\n', '\n    ')}\n`,
  );
  return loadProduct(dir);
}

function problemOf(groups: string): string {
  const loaded = load(groups);
  if (!('problems' in loaded)) throw new Error('no problem');
  expect(loaded.problems).toHaveLength(1);
  const [{ path, message, mend, line }] = loaded.problems as [(typeof loaded.problems)[number]];
  expect(line).toBeGreaterThan(4);
  return `${path}: ${message}; ${mend}`;
}

test('groups are kept as they are declared', () => {
  const loaded = load('mailer: { entity: note, services: true }\ndesk: { entity: note, roles: [clerk], shared: true }');
  expect('product' in loaded && loaded.product.settings.changes).toEqual({
    groups: {
      mailer: { entity: 'note', services: true },
      desk: { entity: 'note', roles: ['clerk'], shared: true },
    },
  });
});

test.each([
  ['mailer: { entity: note }', /^changes\.groups\.mailer: no caller may use this group; .*services: true/],
  ['mailer: { entity: note, services: false, roles: [] }', /no caller may use this group/],
  ['mailer: { entity: nte, services: true }', /^changes\.groups\.mailer\.entity: there is no entity "nte"; .*note/],
  [
    'mailer: { entity: quiet, services: true }',
    /^changes\.groups\.mailer\.entity: quiet keeps no changes; .*changes: true/,
  ],
  ['mailer: { entity: note, roles: [clerc] }', /^changes\.groups\.mailer\.roles\[0\]: .*"clerc".*clerk.*declare it/],
  [
    'mailer: { entity: note, roles: [superadmin] }',
    /^changes\.groups\.mailer\.roles\[0\]: "superadmin" is a role of operators/,
  ],
  ['Mailer: { entity: note, services: true }', /use lower-case letters, digits, _ and -, at most 63 characters/],
  [
    `${'m'.repeat(64)}: { entity: note, services: true }`,
    /use lower-case letters, digits, _ and -, at most 63 characters/,
  ],
  ['mailer: { services: true }', /entity/],
])('%s', (groups, problem) => {
  expect(problemOf(groups)).toMatch(problem);
});

test('a product declares a bounded number of groups', () => {
  const groupsOf = (count: number): string =>
    Array.from({ length: count }, (_, n) => `g${n}: { entity: note, services: true }`).join('\n');
  expect('product' in load(groupsOf(limits.changes.groupsMax))).toBe(true);
  expect(problemOf(groupsOf(limits.changes.groupsMax + 1))).toContain(`at most ${limits.changes.groupsMax}`);
});
