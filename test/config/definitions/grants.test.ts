/** Roles of fields, grants of roles and `run_as`, as a checkout declares them (docs/contract/data-definitions.md §2.2, §2.3). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { placeText, renderProblems } from '#config/problem.ts';
import { temporaryFolders } from '#test/kit/temporary-folders.ts';

const newFolder = temporaryFolders('grants');

type Files = Readonly<Record<string, string>>;

function load(files: Files) {
  const dir = newFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return { dir, loaded: loadProduct(dir, { env: {} }) };
}

function good(files: Files): ProductDefinition {
  const { loaded } = load(files);
  if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
  return loaded.product;
}

function bad(files: Files): string[] {
  const { dir, loaded } = load(files);
  if (!('problems' in loaded)) throw new Error('loaded without problems');
  return loaded.problems.map((p) => `${placeText(p).slice(dir.length + 1)} ${p.message} / ${p.mend}`);
}

const product = (more: string): Files => ({
  'product.yaml': `name: atlas\nroles: { agent: works, auditor: reads }\n${more}\n`,
});
const entity = (body: string, file = 'entities/all.yaml'): Files => ({ [file]: `entities:\n${body}\n` });
const ruleOf = ({ entities }: ProductDefinition, name: string, operation: 'read' | 'create' | 'delete') =>
  entities[name]!.access[operation]?.rule;

describe('grants', () => {
  test('are rules of every entity that has none of its own for the operation', () => {
    const made = good({
      ...product('grants:\n  agent: [create, read]\n  auditor: [read]'),
      ...entity(
        [
          '  open: { fields: { a: { type: string } } }',
          "  own: { fields: { a: { type: string } }, access: { read: { language: cel, rule: 'false' } } }",
          '  apart: { fields: { a: { type: string } }, grants: { auditor: [delete] } }',
          '  shut: { fields: { a: { type: string } }, grants: {} }',
        ].join('\n'),
      ),
    });
    const both = "principal.superadmin || 'agent' in principal.roles || 'auditor' in principal.roles";
    expect(ruleOf(made, 'open', 'read')).toBe(both);
    expect(ruleOf(made, 'open', 'create')).toBe("principal.superadmin || 'agent' in principal.roles");
    expect(ruleOf(made, 'open', 'delete')).toBeUndefined();
    expect([ruleOf(made, 'own', 'read'), ruleOf(made, 'own', 'create')]).toEqual([
      'false',
      ruleOf(made, 'open', 'create'),
    ]);
    expect(Object.keys(made.entities['apart']!.access)).toEqual(['delete']);
    expect(made.entities['shut']!.access).toEqual({});
    expect(made.entities['open']!.access.read!.where).toMatch(/product\.yaml:3:1$/);
  });

  test('are of roles that users can have', () => {
    const files = entity('  a: { fields: { b: { type: string } }, grants: { agnet: [read] } }');
    expect(bad({ ...product('grants: { superadmin: [read], tenant_user: [read] }'), ...files })).toEqual([
      expect.stringContaining('entities/all.yaml:2:51 the product declares no role "agnet": did you mean "agent"?'),
      expect.stringContaining('product.yaml:3:11 "superadmin" is a role of operators'),
    ]);
    expect(bad({ ...product('grants: { agent: [list] }'), ...files })[0]).toContain('create');
  });
});

describe('roles of a field', () => {
  test('are kept, and those who read it read it in the archive', () => {
    const made = good({
      ...product(''),
      'archives.yaml': 'archives: [{ name: cold, type: native }]\n',
      ...entity(
        `  a:
    fields: { b: { type: string, roles: { read: [agent], write: [] } }, at: { type: datetime } }
    retention: { active: 24h, archive_to: cold, age_field: at }`,
      ),
    });
    expect(made.entities['a']!.fields['b']!.roles).toEqual({ read: ['agent'], write: [] });
    expect(made.entities['a_archive']!.fields['b']!.roles).toEqual({ read: ['agent'] });
  });

  test.each([
    ['{ b: { type: string, roles: { read: [agnet] } } }', 'the product declares no role "agnet"'],
    ['{ b: { type: string, roles: { write: [superadmin] } } }', '"superadmin" is a role of operators'],
    ['{ id: { type: ulid, roles: { read: [agent] } } }', 'the key has no roles'],
    [
      '{ n: { type: integer, materialize: { from: c.a_id, value: count }, roles: { write: [agent] } } }',
      'no caller writes',
    ],
    [
      `{ ${Array.from({ length: 33 }, (_, n) => `f${n}: { type: string, roles: { read: [] } }`).join(', ')} }`,
      '33 fields have roles',
    ],
  ])('%s is refused', (fields, message) => {
    const files = entity(`  a:\n    fields: ${fields}\n  c: { fields: { a_id: { type: ref, ref: { entity: a } } } }`);
    expect(bad({ ...product(''), ...files })).toEqual([expect.stringContaining(message)]);
  });

  test('do not go with states, which rejections show, nor with entities of content', () => {
    const states = 'name: flow\nentity: a\nfield: s\ninitial: x\nstates: { x: {} }\n';
    const a = entity('  a: { fields: { s: { type: string, roles: { read: [agent] } } } }');
    expect(bad({ ...product(''), ...a, 'stateflows/f.yaml': states })).toEqual([
      expect.stringContaining('a field that only some roles read cannot hold states'),
    ]);
    const typed = entity(
      '  a: { fields: { s: { type: string, roles: { write: [] } } }, grants: { agent: [read] } }',
      'content/types/a.yaml',
    );
    expect(bad({ ...product(''), ...typed })).toEqual([
      expect.stringContaining('roles of fields do not hold in content'),
      expect.stringContaining('grants do not hold in content'),
    ]);
  });
});

describe('run_as', () => {
  const endpoint = (more: string): Files => ({
    'endpoints/e.yaml': `path: e\nkind: query\n${more}\nscript: return 1;\n`,
  });

  test('is a role of the catalogue', () => {
    const made = good({ ...product(''), ...endpoint('auth: user\nrun_as: agent') });
    expect(made.endpoints![0]!.runAs).toBe('agent');
    expect(good({ ...product(''), ...endpoint('auth: user') }).endpoints![0]).not.toHaveProperty('runAs');
    expect(bad({ ...product(''), ...endpoint('auth: user\nrun_as: tenant_admin') })).toEqual([
      expect.stringContaining('endpoints/e.yaml:4:9 nothing runs as "tenant_admin"'),
    ]);
  });

  test('of a public endpoint is said twice', () => {
    expect(bad({ ...product(''), ...endpoint('auth: public\nrun_as: agent') })).toEqual([
      expect.stringContaining('everyone could do what agent may: the endpoint is public'),
    ]);
    expect(
      good({ ...product(''), ...endpoint('auth: public\nrun_as: agent\npublic_run_as: true') }).endpoints,
    ).toHaveLength(1);
    for (const stray of ['auth: user\nrun_as: agent\npublic_run_as: true', 'auth: public\npublic_run_as: true'])
      expect(bad({ ...product(''), ...endpoint(stray) })).toEqual([expect.stringContaining('it is for endpoints')]);
  });

  test('of a stateflow is checked likewise', () => {
    const flow = (role: string): Files => ({
      ...entity('  a: { fields: { s: { type: string } } }'),
      'stateflows/f.yaml': `name: flow\nentity: a\nfield: s\ninitial: x\nrun_as: ${role}\nstates: { x: {} }\n`,
    });
    expect(good({ ...product(''), ...flow('agent') }).stateflows![0]!.run_as).toBe('agent');
    expect(bad({ ...product(''), ...flow('tenant_user') })).toEqual([
      expect.stringContaining('the catalogue of the product has no role "tenant_user"'),
    ]);
  });
});
