/** Materialized fields after a restart: a tenant without requests is woken for the tasks that it was left with. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { Operators, PLANE } from '#test/kit/operators.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { call } from '#test/kit/test-node.ts';

const localdir = fileURLToPath(new URL('../kit/products/upkeep', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'skep-resume-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('tasks that a stopped node left are done before the first request', { timeout: 60_000 }, async () => {
  const world = await Operators.open({
    localdir,
    dir,
    tenant: '      datastores: { default: { driver: lmdb, runner: false } }\n',
  });
  const { id } = (await world.send('user', 'POST', 'rest/place', {})).json.data[0];
  await world.send('user', 'POST', 'rest/visit', { seen: '2999-01-01', shop_id: id });
  const left = await world.send('admin', 'GET', 'admin/data/materialize/stats');
  expect(left.json.counts.pending).toBe(1);
  await world.node.stop();

  const node = await startProcess(writePlatformFile(dir, { localdir }));
  try {
    const gateway = node.listeners['gateway']!;
    const awake = async () => {
      const { json } = await call(gateway, 'GET', '/data/superadmin/tenant', world.headers('plane'));
      return (json as { tenants: string[] }).tenants;
    };
    // A request wakes its own plane only.
    let tenants = await awake();
    while (!tenants.includes(TENANT)) tenants = await awake();
    expect(tenants).toEqual([TENANT, PLANE].toSorted());
    const visits = async (): Promise<number> => {
      const { json } = await call(gateway, 'GET', `/data/rest/place/id/${id}`, world.headers('user'));
      return (json as { data: { visits: number }[] }).data[0]!.visits;
    };
    while ((await visits()) === 0);
    expect(await visits()).toBe(1);
  } finally {
    await node.end('SIGTERM');
  }
});
