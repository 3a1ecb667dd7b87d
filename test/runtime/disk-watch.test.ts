/** The disk of the data directory: named before it is full, and unready when no write is taken. */
import { expect, test } from 'vitest';
import type { DegradedReport } from '#actors/protocol/degraded.ts';
import { DiskWatch } from '#runtime/disk-watch.ts';

const MIB = 2 ** 20;

function bench(freeBytesMin: number) {
  const reports: DegradedReport[] = [];
  const cleared: string[] = [];
  const disk = { free: 0 as number | Error };
  const watch = new DiskWatch({
    path: '/data',
    freeBytesMin,
    degraded: { report: (entry) => void reports.push(entry), clear: (_scope, name) => void cleared.push(name) },
    freeBytes: () => (disk.free instanceof Error ? Promise.reject(disk.free) : Promise.resolve(disk.free)),
  });
  const look = async (free: number | Error): Promise<DegradedReport | undefined> => {
    disk.free = free;
    reports.length = 0;
    await watch.look();
    return reports[0];
  };
  const metric = (name: string): number => watch.families().find((family) => family.name === name)!.samples[0]!.value;
  return { look, cleared, metric };
}

test('from twice the watermark it is named, below it concerns all with path, bytes and key, and it ends by itself', async () => {
  const it = bench(100 * MIB);
  expect(await it.look(200 * MIB)).toBeUndefined();
  expect(it.cleared).toEqual(['/data']);
  const scarce = await it.look(200 * MIB - 1);
  expect(scarce).toMatchObject({ scope: 'disk', name: '/data', lasts: 'cleared' });
  expect([scarce!.concerns, scarce!.reason]).toEqual([undefined, expect.stringContaining('less than 200 MiB free')]);
  expect((await it.look(100 * MIB))!.concerns).toBeUndefined();
  const full = await it.look(100 * MIB - 1);
  expect(full!.concerns).toBe('all');
  for (const text of ['/data', '99 MiB', 'storage.free_bytes_min (100 MiB)']) expect(full!.reason).toContain(text);
  expect([it.metric('skep_disk_free_bytes'), it.metric('skep_disk_free_bytes_min')]).toEqual([
    100 * MIB - 1,
    100 * MIB,
  ]);
  expect(await it.look(new Error('EIO'))).toBeUndefined(); // it counts as it was
  expect(it.cleared).toHaveLength(1);
  await it.look(300 * MIB);
  expect(it.cleared).toHaveLength(2);
});

test('no watermark, no word', async () => {
  const it = bench(0);
  expect(await it.look(0)).toBeUndefined();
});
