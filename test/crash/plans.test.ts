/**
 * Plans on a real process. Two operators at once; and kill -9 inside each step of an apply: the ledger is true afterwards, and the
 * same plan applied again ends what was begun.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startNode } from '#runtime/node.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { call, positionHeaders, type Headers } from '#test/kit/test-node.ts';

const ROWS = 6000;
/** A step that changes rows; in `npm run test:ci` every second step, in `npm run campaign` every one. */
const COUNT = rounds({ suite: 1, ci: 2 });
const STEPS = COUNT === 1 ? [8] : COUNT < 10 ? [2, 4, 6, 8, 10] : Array.from({ length: 10 }, (_, i) => i + 1);
const LOGIN = { login: 'root@example.org', password: 'correct horse battery' };
const dir = mkdtempSync(join(tmpdir(), 'skep-plan-crash-'));
const product = join(dir, 'product');
/** A data directory with rows, a plan and nothing applied: every kill begins with a copy. */
const seed = join(dir, 'seed');
let steps: { SchemaOp: string }[];
let planId: string;

const ACCESS = ['create', 'read', 'update', 'delete']
  .map((one) => `${one}: { language: cel, rule: "true" }`)
  .join(', ');
const entity = (name: string, fields: string): string =>
  `  ${name}:\n    fields:\n${fields}    access: { ${ACCESS} }\n`;

function declare(...entities: string[]): void {
  writeFileSync(join(product, 'entities', 'all.yaml'), `entities:\n${entities.join('')}`);
}

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

class Caller {
  readonly #base: string;
  readonly #headers: Headers;

  private constructor(base: string, headers: Headers) {
    this.#base = base;
    this.#headers = headers;
  }

  static async at(base: string): Promise<Caller> {
    const { json } = await call(base, 'POST', '/auth/login', positionHeaders(TENANT), LOGIN);
    const { access_token } = json as { access_token: string };
    return new Caller(base, { ...positionHeaders(TENANT), Authorization: `Bearer ${access_token}` });
  }

  async send(method: string, path: string, body?: unknown): Promise<{ status: number; json: Json }> {
    return call(this.#base, method, `/data/${path}`, this.#headers, body);
  }
}

beforeAll(async () => {
  mkdirSync(join(product, 'entities'), { recursive: true });
  writeFileSync(join(product, 'product.yaml'), 'name: shop\n');
  declare(
    entity(
      'thing',
      '      a: { type: string }\n      n: { type: string }\n      m: { type: integer }\n      gone: { type: string, index: true }\n',
    ),
    entity('old', '      a: { type: string }\n'),
  );
  const platform = platformOf(writePlatformFile(seed0(), { localdir: product }));
  const node = await startNode(platform);
  await node.provision(TENANT);
  await node.ask(TENANT, 'identity', 'person.ensure', {
    email: LOGIN.login,
    password: LOGIN.password,
    roles: ['superadmin'],
    replace: true,
  });
  const caller = await Caller.at(node.listeners['gateway']!);
  const lines = (row: (i: number) => object): string =>
    Array.from({ length: ROWS }, (_, i) => JSON.stringify(row(i))).join('\n');
  const things = lines((i) => ({ a: `v${i}`, n: String(i), m: i % 2 === 0 ? null : i, gone: 'x' }));
  expect((await caller.send('POST', 'bulk?entity=thing&format=jsonl', things)).json.imported).toBe(ROWS);
  expect(
    (
      await caller.send(
        'POST',
        'bulk?entity=old&format=jsonl',
        lines((i) => ({ a: `o${i}` })),
      )
    ).json.imported,
  ).toBe(ROWS);
  declare(
    entity(
      'thing',
      '      a: { type: string, unique: true }\n      n: { type: integer }\n      m: { type: integer, default: 5, nullable: false }\n      extra: { type: integer, default: 1 }\n',
    ),
    entity('new', '      thing_id: { type: ref, ref: { entity: thing } }\n'),
  );
  const { json: made } = await caller.send('POST', 'admin/data/plans', { allow_drops: true });
  expect(made.refusals).toBeUndefined();
  ({ plan_id: planId, steps } = made);
  await node.stop();
}, 60_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function seed0(): string {
  mkdirSync(seed);
  return seed;
}

/** A copy of the directory, with a platform file of its own. */
function copied(name: string): string {
  const copy = join(dir, name);
  mkdirSync(copy);
  cpSync(join(seed, 'data'), join(copy, 'data'), { recursive: true });
  return writePlatformFile(copy, { localdir: product });
}

const ledger = async (caller: Caller): Promise<Json> => (await caller.send('GET', `admin/data/plans/${planId}`)).json;

/** Applies the plan and kills the node once a step has begun. */
async function killedAt(file: string, step: number): Promise<void> {
  const victim: ProcessNode = await startProcess(file);
  onTestFinished(async () => void (await victim.end('SIGKILL')));
  const caller = await Caller.at(victim.listeners['gateway']!);
  let ended: Json;
  const applying = caller.send('POST', `admin/data/plans/${planId}/apply`, { confirm_max_risk: 'high' }).then(
    ({ json }) => (ended = json),
    () => null,
  );
  while ((await ledger(caller)).steps[step - 1].Attempt === 0) expect(ended).toBeUndefined();
  expect(await victim.end('SIGKILL')).toBe('SIGKILL');
  await applying;
}

test('the plan has a step of every kind', () => {
  expect(steps.map(({ SchemaOp }) => SchemaOp)).toEqual([
    'create_table',
    'create_index',
    'add_column',
    'fill_column',
    'alter_column',
    'create_unique_index',
    'drop_index',
    'alter_column_type',
    'drop_column',
    'drop_table',
  ]);
});

test(
  'of two operators at once one wins, and the other gets the operation that is under way',
  { timeout: 60_000 },
  async () => {
    const node = await startProcess(copied('race'));
    try {
      const operators = [1, 2].map(() => Caller.at(node.listeners['gateway']!));
      const answers = await Promise.all(
        (await Promise.all(operators)).map((operator) =>
          operator.send('POST', `admin/data/plans/${planId}/apply`, { confirm_max_risk: 'high' }),
        ),
      );
      const [won, lost] = answers.toSorted((a, b) => a.status - b.status);
      expect([won!.status, won!.json.status, won!.json.steps_applied]).toEqual([200, 'applied', 10]);
      expect([lost!.status, lost!.json.code]).toEqual([409, 'v2.locked']);
      expect(lost!.json.details.lock).toMatchObject({ resource: 'plans:default', op_kind: 'apply', plan_id: planId });
      const { steps: done } = await ledger(await operators[0]!);
      expect(done.map(({ Attempt }: Json) => Attempt)).toEqual(done.map(() => 1));
    } finally {
      await node.end('SIGTERM');
    }
  },
);

test.each(STEPS)('killed at step %i', { timeout: 180_000 }, async (step) => {
  const file = copied(`step-${step}`);
  await killedAt(file, step);

  const again = await startProcess(file);
  try {
    const caller = await Caller.at(again.listeners['gateway']!);
    const { plan, steps: left } = await ledger(caller);
    const done = left.filter(({ Status }: { Status: string }) => Status === 'applied').length;
    expect(plan.AppliedCount).toBe(done);
    expect(done).toBeGreaterThanOrEqual(step - 1);
    expect((await caller.send('GET', 'rest/thing?limit=1')).json.total).toBe(ROWS);

    const { status, json } = await caller.send('POST', `admin/data/plans/${planId}/apply`, {
      confirm_max_risk: 'high',
    });
    expect([status, json.status, json.steps_applied, json.steps_skipped]).toEqual([200, 'applied', 10 - done, done]);
    expect((await caller.send('POST', 'admin/data/plans', { allow_drops: true })).json.steps).toEqual([]);
    const { json: rows } = await caller.send('GET', `rest/thing?limit=${ROWS}&orderby=n`);
    expect(rows.data.map(({ a, n, m, extra }: Json) => `${a} ${n} ${m} ${extra}`)).toEqual(
      Array.from({ length: ROWS }, (_, i) => `v${i} ${i} ${i % 2 === 0 ? 5 : i} 1`),
    );
    for (const i of [0, 1, ROWS / 2, ROWS - 1]) {
      const { json: found } = await caller.send('GET', `rest/thing?a=v${i}&stats=true`);
      expect([found.count, found.stats.plan.access]).toEqual([1, 'index']);
    }
    expect((await caller.send('POST', 'rest/thing', { a: 'v7' })).status).toBe(422);
    expect((await caller.send('GET', 'rest/old')).status).toBe(404);
  } finally {
    await again.end('SIGTERM');
  }
});
