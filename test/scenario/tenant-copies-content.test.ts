/** The files of content stores are a tenant's too: they go where it goes. docs/decisions/backup.md. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startMagazine, upload } from '#test/kit/magazine.ts';
import { TENANT } from '#test/kit/platform-file.ts';

test('an asset comes back with its bytes, moves with its tenant, and goes with it', { timeout: 60_000 }, async () => {
  const it = await startMagazine();
  onTestFinished(() => it.stop());
  const made = await upload(`${it.gateway}/store/media/asset`, await it.service(), 'the bytes of an asset');
  expect(made.status).toBe(201);
  const asset = `${it.gateway}/store/media/asset/${made.json.id}/download`;
  const download = async (): Promise<[number, string]> => {
    const response = await fetch(asset, { headers: await it.service() });
    return [response.status, await response.text()];
  };
  const to = join(it.dir, 'main.skep');
  const filesOf = (no: number): string[] => {
    const place = join(it.dir, 'data', 'content', String(no));
    if (!existsSync(place)) return [];
    const found = readdirSync(place, { recursive: true, withFileTypes: true });
    return found.filter((one) => one.isFile()).map((one) => one.name);
  };
  const entry = () => it.node.tenants().find(({ position }) => position.key === TENANT)!;
  await it.node.copies.backup({ tenant: TENANT, to });
  const first = entry();
  expect(filesOf(first.no)).toHaveLength(1);
  await it.node.copies.delete({ tenant: TENANT, confirm: TENANT });
  expect(filesOf(first.no)).toEqual([]);
  await it.node.copies.restore({ from: to });
  expect(await download()).toEqual([200, 'the bytes of an asset']);
  const second = entry();
  await it.node.copies.move({ tenant: TENANT, shard: (second.shard + 1) % 4 });
  expect(await download()).toEqual([200, 'the bytes of an asset']);
  expect([filesOf(second.no), filesOf(entry().no).length]).toEqual([[], 1]);
});
