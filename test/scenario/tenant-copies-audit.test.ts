/** The audit log of a tenant outlives it: a later tenant of its name goes on in the same log, and no event of either is taken for a repetition. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TENANT } from '#test/kit/platform-file.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

interface Told {
  readonly action: string;
  readonly source: string;
  readonly source_seq: number;
}

test('deleted and restored: every event of both lives is in its log', { timeout: 60_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-copies-audit-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const it = await startTestNode({ dir, extra: 'audit: { enabled: true, name: audit.example }\n' });
  const create = async (name: string): Promise<void> => {
    const answer = await it.call('POST', '/data/rest/item', await it.service(), { name });
    expect(answer.status, answer.text).toBe(201);
  };
  for (let i = 0; i < 5; i++) await create(`first life ${i}`);
  const to = join(dir, 'main.skep');
  await it.node.copies.backup({ tenant: TENANT, to });
  await create('not in the backup');
  await it.node.copies.delete({ tenant: TENANT, confirm: TENANT });
  const { no } = it.node.tenants().reduce((last, one) => (one.no > last.no ? one : last));
  await it.node.copies.restore({ from: to });
  const second = it.node.tenants().find(({ position }) => position.key === TENANT)!;
  expect(second.no).toBe(no + 1);
  for (let i = 0; i < 3; i++) await create(`second life ${i}`);
  await it.stop();
  const log = join(it.platform.audit.base_dir, 'tenant/acme/shop/dev/main');
  const { out } = await skep(`audit query ${log} --limit 1000 --output json`);
  const told = (JSON.parse(out) as Told[]).filter(({ action }) => action.startsWith('data.'));
  const numbersOf = (source: string): number[] =>
    told.filter((one) => one.source === source).map((one) => one.source_seq);
  expect(new Set(told.map(({ source }) => source))).toEqual(new Set(['host', `host-${second.no}`]));
  expect(told.filter(({ source }) => source === 'host')).toHaveLength(6);
  expect(told.filter(({ source }) => source !== 'host')).toHaveLength(3);
  expect(numbersOf('host').toSorted((a, b) => a - b)).toEqual(numbersOf('host'));
  const node = join(it.platform.audit.base_dir, 'node/platform');
  const platform = JSON.parse((await skep(`audit query ${node} --limit 1000 --output json`)).out) as Told[];
  for (const verb of ['backup', 'delete', 'restore'])
    expect(platform.map(({ action }) => action)).toContain(`platform.tenant.${verb}`);
});
