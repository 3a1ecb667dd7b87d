/** What a product gives to its roles, as its checkout declares it (docs/contract/identity-people.md §1.5). */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import { roleUses } from '#config/definitions/role-uses.ts';
import { renderProblems } from '#config/problem.ts';

function usesIn(files: Readonly<Record<string, string>>) {
  const dir = mkdtempSync(join(tmpdir(), 'skep-roles-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), text);
    }
    const loaded = loadProduct(dir, { env: {} });
    if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
    return new Map(roleUses(loaded.product).map((use) => [use.role, use]));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const ENTITIES = `entities:
  open: { fields: { a: { type: string } } }
  own:
    fields: { a: { type: string, roles: { read: [agent, auditor], write: [agent] } } }
    access:
      read: { language: cel, rule: "'auditor' in principal.roles && row.a == 'x'" }
      delete: { language: cel, rule: "'agents' in principal.roles" }
  apart: { fields: { a: { type: string } }, grants: { auditor: [delete] } }
`;

test('grants in force, rules that name a role, fields that are kept for it, and what runs with its rights', () => {
  const uses = usesIn({
    'product.yaml':
      'name: atlas\nroles: { agent: works, auditor: reads }\ngrants: { agent: [create, read], auditor: [read] }\n',
    'entities/all.yaml': ENTITIES,
    'endpoints/run.yaml':
      'path: run\nverb: POST\nkind: mutate\nauth: user\nrun_as: agent\nscript: "return reply(204)"\n',
  });
  expect([...uses.keys()]).toEqual(['tenant_admin', 'tenant_user', 'tenant_viewer', 'agent', 'auditor']);
  expect(uses.get('tenant_user')).toEqual({
    role: 'tenant_user',
    origin: 'platform',
    about: null,
    entities: [],
    fields: [],
    runs: [],
  });
  expect(uses.get('agent')).toEqual({
    role: 'agent',
    origin: 'catalogue',
    about: 'works',
    // A rule of its own stands before the grant, and one that names `agents` does not name `agent`.
    entities: [
      { entity: 'open', granted: ['create', 'read'], ruled: [] },
      { entity: 'own', granted: ['create'], ruled: [] },
    ],
    fields: [
      { entity: 'own', field: 'a', may: 'read' },
      { entity: 'own', field: 'a', may: 'write' },
    ],
    runs: [{ kind: 'endpoint', name: 'POST run' }],
  });
  expect(uses.get('auditor')!.entities).toEqual([
    { entity: 'open', granted: ['read'], ruled: [] },
    { entity: 'own', granted: [], ruled: ['read'] },
    { entity: 'apart', granted: ['delete'], ruled: [] },
  ]);
});

test('a product without a catalogue shows the roles that its grants and fields name', () => {
  const uses = usesIn({ 'product.yaml': 'name: atlas\ngrants: { clerk: [read] }\n', 'entities/all.yaml': ENTITIES });
  expect([...uses.keys()].slice(3)).toEqual(['agent', 'auditor', 'clerk']);
  expect(uses.get('clerk')).toMatchObject({ origin: 'named', about: null });
});
