/** `skep data plan|seed|applied` on the stores of a stopped node: what they say, and how they end. Spec: docs/contract/identity.md §10.3. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));
const LIMIT = { timeout: 60_000 };
const dir = mkdtempSync(join(tmpdir(), 'skep-cli-data-'));
const product = join(dir, 'product');
const file = writePlatformFile(dir, { localdir: product });
afterAll(() => rmSync(dir, { recursive: true, force: true }));

for (const folder of ['entities', 'seeds']) mkdirSync(join(product, folder), { recursive: true });
writeFileSync(join(product, 'product.yaml'), 'name: shop\n');
writeFileSync(
  join(product, 'seeds', 'things.yaml'),
  'name: things\nentity: thing\nrows: [{ a: x }, { a: x }, { a: y }]\n',
);
declare('      a: { type: string }\n');

function declare(fields: string): void {
  const access = ['create', 'read'].map((one) => `${one}: { language: cel, rule: "true" }`).join(', ');
  const text = `entities:\n  thing:\n    fields:\n${fields}    access: { ${access} }\n`;
  writeFileSync(join(product, 'entities', 'all.yaml'), text);
}

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function skep(...words: string[]): Promise<Said> {
  const child = spawn(launcher, [...words, '-f', file, '--tenant', TENANT, '-o', 'json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

/** The JSON that a verb says, alone on its output, and how it ends. */
async function said(...words: string[]) {
  const { code, out, err } = await skep(...words);
  expect(out, err).not.toBe('');
  return { code, err, json: JSON.parse(out) };
}

test(
  'a tenant that was never brought up is told; data bootstrap brings up its schema, again and again',
  LIMIT,
  async () => {
    expect(await skep('data', 'plan', 'generate')).toEqual({
      code: 1,
      out: '',
      err: `skep: no tenant ${TENANT} in the registry; provision it first\n`,
    });
    const { code, json } = await said('data', 'bootstrap');
    expect([code, json]).toMatchObject([0, [{ tenant: TENANT, state: 'bootstrapped', schema_steps: 3 }]]);
    expect((await said('data', 'bootstrap')).json).toMatchObject([{ state: 'bootstrapped', schema_steps: 0 }]);
  },
);

test('a plan is made, applied, shown and listed', LIMIT, async () => {
  declare('      a: { type: string }\n      n: { type: integer, default: 7 }\n');
  const made = (await said('data', 'plan', 'generate')).json;
  expect(made.steps.map(({ SchemaOp }: { SchemaOp: string }) => SchemaOp)).toEqual(['add_column']);
  const applied = await said('data', 'plan', 'apply', made.plan_id, '--confirm-risk', 'low');
  expect([applied.code, applied.json, applied.err]).toEqual([0, expect.objectContaining({ status: 'applied' }), '']);
  const shown = await said('data', 'plan', 'show', made.plan_id);
  expect(shown.json.plan).toMatchObject({ Status: 'applied', Trigger: 'cli', AppliedCount: 1 });
  const listed = await said('data', 'applied', 'list', '--plan-id', made.plan_id);
  expect(listed.json).toMatchObject([{ PlanID: made.plan_id, SchemaOp: 'add_column', Status: 'applied' }]);
});

test('seeds are applied once, and listed', LIMIT, async () => {
  expect((await said('data', 'seed', 'run', 'things', '--dry-run')).json).toMatchObject([{ Rows: 3 }]);
  const { code, json } = await said('data', 'seed', 'run');
  expect([code, json]).toMatchObject([0, [{ Name: 'things', Status: 'applied', Rows: 3 }]]);
  expect((await said('data', 'seed', 'list')).json).toMatchObject([{ name: 'things', status: 'applied' }]);
});

test('an apply that halts or fails ends with 1, and says which step and why', LIMIT, async () => {
  declare('      a: { type: string, unique: true }\n      n: { type: integer, default: 7 }\n');
  const { plan_id } = (await said('data', 'plan', 'generate')).json;
  const dry = await said('data', 'plan', 'apply', plan_id, '--confirm-risk', 'high', '--dry-run');
  expect([dry.code, dry.json.status]).toEqual([0, 'dry_run']);
  const halted = await said('data', 'plan', 'apply', plan_id, '--confirm-risk', 'low');
  expect([halted.code, halted.json.status, halted.err]).toEqual([
    1,
    'halted',
    'skep: the plan is halted, not applied: step 1 needs a higher --confirm-risk\n',
  ]);
  const failed = await said('data', 'plan', 'apply', plan_id, '--confirm-risk', 'high');
  expect([failed.code, failed.json.status, failed.json.failed_step]).toEqual([1, 'failed', 1]);
  expect(failed.err).toMatch(/^skep: the plan is failed, not applied: rows share a value of \(a\).*\n$/);
  expect((await said('data', 'applied', 'list', '--plan-id', plan_id)).json).toEqual([]);
});

test('what is unknown ends with 2 and one line', LIMIT, async () => {
  expect(await skep('data', 'plan', 'apply', 'nothing', '--confirm-risk', 'low')).toEqual({
    code: 2,
    out: '',
    err: 'skep: no plan nothing (v2.plan_not_found)\n',
  });
  expect(await skep('data', 'seed', 'run', 'nothing')).toMatchObject({ code: 2, out: '' });
});
