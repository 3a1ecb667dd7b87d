/** Plans over HTTP on a real node whose checkout a test edits; over the socket from the command line; and a node that is killed at work. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openControl } from '#runtime/control.ts';
import { Operators, type AdminReply } from '#test/kit/operators.ts';
import { TENANT } from '#test/kit/platform-file.ts';

const run = promisify(execFile);
const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'skep-plans-'));
const product = join(dir, 'product');

/** Declares the entity `thing`, beside what the shop has. */
function declare(fields: string): void {
  const access = ['create', 'read', 'update', 'delete', 'purge'].map(
    (one) => `${one}: { language: cel, rule: "true" }`,
  );
  const text = `entities:\n  thing:\n    fields:\n${fields}\n    access: { ${access.join(', ')} }\n`;
  writeFileSync(join(product, 'entities', 'thing.yaml'), text);
}

let world: Operators;
beforeAll(async () => {
  mkdirSync(product);
  cpSync(fileURLToPath(new URL('../kit/products/shop', import.meta.url)), product, { recursive: true });
  declare('      a: { type: string }');
  world = await Operators.open({ localdir: product, dir });
}, 60_000);
afterAll(async () => {
  await world.node.stop();
  rmSync(dir, { recursive: true, force: true });
});

const plan = (role: 'admin' | 'superadmin' = 'admin', body: object = {}): Promise<AdminReply> =>
  world.send(role, 'POST', 'admin/data/plans', body);
const apply = (id: string, risk = 'high'): Promise<AdminReply> =>
  world.send('superadmin', 'POST', `admin/data/plans/${id}/apply`, { confirm_max_risk: risk });
const rows = async (query = ''): Promise<Record<string, unknown>[]> =>
  (await world.send('superadmin', 'GET', `rest/thing?${query}`)).json.data;

describe('over HTTP', () => {
  test('an empty body makes a plan; what was provisioned has no steps', async () => {
    const { status, json } = await world.send('admin', 'POST', 'admin/data/plans');
    expect([status, json]).toEqual([200, { plan_id: expect.any(String), source: 'yaml', max_risk: 'low', steps: [] }]);
    expect((await apply(json.plan_id)).status).toBe(200);
  });

  test(
    'edited files are planned, applied and served, while rows are written and read',
    { timeout: 60_000 },
    async () => {
      const lines = Array.from({ length: 5000 }, (_, i) => JSON.stringify({ a: `v${i}` })).join('\n');
      const imported = await world.node.call(
        'POST',
        '/data/bulk?entity=thing&format=jsonl',
        world.headers('superadmin'),
        lines,
      );
      expect(imported.json).toMatchObject({ imported: 5000 });
      expect((await rows('a=v7')).length).toBe(1);
      declare('      a: { type: string, unique: true }\n      n: { type: integer, default: 7 }');
      const { json: made } = await plan();
      expect(made.steps.map(({ SchemaOp }: { SchemaOp: string }) => SchemaOp)).toEqual([
        'add_column',
        'create_unique_index',
      ]);
      const applying = apply(made.plan_id);
      const meanwhile: number[] = [];
      for (let i = 0; i < 40; i++) {
        const written = await world.send('superadmin', 'POST', 'rest/thing', { a: `w${i}` });
        const read = await world.send('superadmin', 'GET', `rest/thing?a=w${i}`);
        meanwhile.push(written.status, read.json.count);
      }
      expect(new Set(meanwhile)).toEqual(new Set([201, 1]));
      const { status, json } = await applying;
      expect([status, json.status, json.steps_applied]).toEqual([200, 'applied', 2]);
      expect((await rows('a=v7')).map(({ a, n }) => [a, n])).toEqual([['v7', 7]]);
      const found = await world.send('superadmin', 'GET', 'rest/thing?a=w7&stats=true');
      expect(found.json.stats.plan.access).toBe('index');
      expect((await world.send('superadmin', 'POST', 'rest/thing', { a: 'v7' })).status).toBe(422);
    },
  );

  test('what else the checkout brings is served with the apply: actions and endpoints', async () => {
    const before = [
      (await world.send('admin', 'GET', 'admin/data/actions')).json.count,
      (await world.send('superadmin', 'GET', 'x/hello')).status,
    ];
    expect(before).toEqual([0, 404]);
    for (const folder of ['actions', 'endpoints']) mkdirSync(join(product, folder), { recursive: true });
    const open = 'access: { language: cel, rule: "true" }';
    for (const name of ['zeta', 'alpha'])
      writeFileSync(
        join(product, 'actions', `${name}.yaml`),
        `name: ${name}\n${open}\nsections:\n  read: { sql: select a from thing where n = 7 limit 1 }\n`,
      );
    const hello = 'path: hello\nverb: GET\nkind: query\nauth: user\nscript: "return { hello: 1 };"\n';
    writeFileSync(join(product, 'endpoints', 'hello.yaml'), hello);

    const { json: made } = await plan();
    expect([made.steps, made.refusals]).toEqual([[], undefined]);
    expect((await world.send('superadmin', 'GET', 'x/hello')).status).toBe(404);
    expect((await apply(made.plan_id)).status).toBe(200);

    const { json: listed } = await world.send('admin', 'GET', 'admin/data/actions');
    expect(listed).toMatchObject({ tenant: TENANT, datastore: 'default', count: 2 });
    expect(listed.actions[0]).toEqual({
      name: 'alpha',
      description: '',
      entities: ['thing'],
      source: 'product',
      methods: ['GET'],
      has_access: true,
      sections: { read: { param_count: 0, returning: ['a'], access_override: false } },
    });
    expect(listed.actions[1].name).toBe('zeta');
    expect(JSON.stringify(listed)).not.toContain('select');
    const called = await world.send('superadmin', 'GET', 'actions/alpha');
    expect([called.status, called.json.total]).toEqual([200, 1]);
    const said = await world.send('superadmin', 'GET', 'x/hello');
    expect([said.status, said.json]).toEqual([200, { hello: 1 }]);
    for (const folder of ['actions', 'endpoints']) rmSync(join(product, folder), { recursive: true });
  });

  test('a checkout that does not load is 422, naming file and line', async () => {
    declare('      a: { type: strong }');
    const { status, json } = await plan();
    expect([status, json.code]).toEqual([422, 'v2.definitions_invalid']);
    expect(json.error).toMatch(/thing\.yaml:4/);
    declare('      a: { type: string, unique: true }\n      n: { type: integer, default: 7 }');
  });

  test('the mirror plans and applies the tenant in the path', async () => {
    const { json } = await world.send('plane', 'POST', 'superadmin/tenant/other/plans', {});
    expect(json.steps.length).toBe(2);
    const path = `superadmin/tenant/other/plans/${json.plan_id}`;
    const { status, json: done } = await world.send('plane', 'POST', `${path}/apply`, { confirm_max_risk: 'high' });
    expect([status, done.status]).toEqual([200, 'applied']);
    expect((await world.send('plane', 'GET', path)).json.tenant).toBe('acme:shop:dev:other');
    expect((await world.send('admin', 'GET', `admin/data/plans/${json.plan_id}`)).status).toBe(404);
  });
});

describe('from the command line', () => {
  let close: () => Promise<void>;
  beforeAll(async () => (close = await openControl(join(dir, 'data'), world.node.node)));
  afterAll(() => close());
  const skep = async (...words: string[]) => {
    const line = [...words, '-f', join(dir, 'platform.yaml'), '--tenant', TENANT, '-o', 'json'];
    const { stdout } = await run(launcher, line);
    return JSON.parse(stdout);
  };

  test('generate, show, apply and applied list, over the socket', { timeout: 60_000 }, async () => {
    declare('      a: { type: string, unique: true }\n      n: { type: integer, default: 7 }\n      m: { type: date }');
    const made = await skep('data', 'plan', 'generate');
    expect(made.steps.map(({ SchemaOp }: { SchemaOp: string }) => SchemaOp)).toEqual(['add_column']);
    expect((await skep('data', 'plan', 'show', made.plan_id)).plan).toMatchObject({
      Status: 'generated',
      Trigger: 'cli',
    });
    expect(await skep('data', 'plan', 'apply', made.plan_id, '--confirm-risk', 'low', '--dry-run')).toMatchObject({
      status: 'dry_run',
    });
    expect(await skep('data', 'plan', 'apply', made.plan_id, '--confirm-risk', 'low')).toMatchObject({
      status: 'applied',
    });
    const applied = await skep('data', 'applied', 'list', '--plan-id', made.plan_id);
    expect(applied.map(({ Identifier }: { Identifier: string }) => Identifier)).toEqual(['m']);
    expect((await rows('limit=1'))[0]).toHaveProperty('m', null);
  });

  test('an unknown plan is reported', { timeout: 60_000 }, async () => {
    await expect(skep('data', 'plan', 'show', 'nothing')).rejects.toThrow('no plan nothing (v2.plan_not_found)');
  });
});
