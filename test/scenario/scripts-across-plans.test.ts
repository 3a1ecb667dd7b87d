/** Scripts that run while a plan changes the schema that they read: they run anew, and their callers see nothing of it. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Operators, type AdminReply } from '#test/kit/operators.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-across-plans-'));
const product = join(dir, 'product');
const FIRST = 20;
const PLANS = 4;

/** The entity `thing`, with `columns` columns. */
function declare(columns: number): void {
  const access = ['create', 'read', 'update', 'delete'].map((one) => `${one}: { language: cel, rule: "true" }`);
  const fields = Array.from({ length: columns }, (_, no) => `      c${no}: { type: string }`).join('\n');
  const text = `entities:\n  thing:\n    fields:\n${fields}\n    access: { ${access.join(', ')} }\n`;
  writeFileSync(join(product, 'entities', 'thing.yaml'), text);
}

/** Reads again and again, so that a plan falls into most runs; `last` is done at the end. */
const endpoint = (path: string, kind: string, last: string): string => `path: ${path}
kind: ${kind}
auth: public
script: |
  let seen = 0;
  for (let i = 0; i < 30; i++) seen = db.query("thing", { limit: 50 }).length;
  ${last}
  return { seen };
`;

let world: Operators;
beforeAll(async () => {
  cpSync(fileURLToPath(new URL('../kit/products/scripted', import.meta.url)), product, { recursive: true });
  declare(1);
  writeFileSync(join(product, 'endpoints', 'reads.yaml'), endpoint('reads', 'query', ''));
  writeFileSync(join(product, 'endpoints', 'writes.yaml'), endpoint('writes', 'mutate', 'db.create("thing", {});'));
  world = await Operators.open({ localdir: product, dir, extra: 'jobs: { threads: 2 }' });
}, 60_000);
afterAll(async () => {
  await world.node.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Changes the schema `PLANS` times; the column that each plan adds. */
async function changeSchema(from: number): Promise<void> {
  for (let columns = from; columns < from + PLANS; columns++) {
    declare(columns);
    const made: AdminReply = await world.send('admin', 'POST', 'admin/data/plans', {});
    expect(made.json.steps).toHaveLength(1);
    const path = `admin/data/plans/${made.json.plan_id}/apply`;
    const applied = await world.send('superadmin', 'POST', path, { confirm_max_risk: 'high' });
    expect(applied.status).toBe(200);
  }
}

test.each([
  ['a query', 'GET', 'reads', 2],
  ['a mutation', 'POST', 'writes', 2 + PLANS],
] as const)('%s', { timeout: 60_000 }, async (_what, method, path, columns) => {
  for (let no = 0; no < FIRST; no++) await world.send('user', 'POST', 'rest/thing', {});
  const rows = async (): Promise<number> => (await world.send('user', 'GET', 'rest/thing?limit=1')).json.total;
  const before = await rows();
  const answers: AdminReply[] = [];
  const over = new AbortController();
  const callers = Array.from({ length: 2 }, async () => {
    while (!over.signal.aborted) answers.push(await world.send('user', method, `x/${path}`));
  });
  await changeSchema(columns).finally(() => over.abort());
  await Promise.all(callers);
  const others = answers.filter(({ status }) => status !== 200);
  // Two writers of one entity may take all tries of each other; what they are told is declared, and is no fault.
  const conflicts = others.filter(({ json }) => /kept changing the rows/.test(json.error));
  expect(others.filter((answer) => !conflicts.includes(answer)).map(({ json }) => json as unknown)).toEqual([]);
  const done = answers.length - others.length;
  expect(done).toBeGreaterThan(0);
  expect((await rows()) - before).toBe(path === 'writes' ? done : 0);
});
