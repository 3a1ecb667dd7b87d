import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import type { DevFile } from '#bench/kit/dev-file.ts';
import { freePortBase } from '#bench/kit/ports.ts';
import { leafOf } from '#bench/kit/process-tree.ts';
import { environmentOf, isOf } from '#bench/kit/server.ts';

test('the server gets its directory and ports, and nothing that npm or a profiler set for the bench', () => {
  const own = { PATH: '/bin', npm_config_x: '1', NODE_OPTIONS: '--inspect', SKEP_DATA: 'else' };
  expect(environmentOf(own, { dataDir: 'd', portBase: 20_000, hosts: undefined })).toEqual({
    PATH: '/bin',
    SKEP_DATA: 'd',
    SKEP_PORT_BASE: '20000',
  });
  const profiled = environmentOf(own, { dataDir: 'd', portBase: 20_000, hosts: 2, profileDir: 'a b' });
  expect(profiled['NODE_OPTIONS']).toBe('--cpu-prof --cpu-prof-dir="a b"');
});

test('a dev.json of another run is not this server', () => {
  const dev = (gateway: string) => ({ gateway, operations: gateway }) as DevFile;
  expect(isOf(dev('http://127.0.0.1:20000'), 20_000)).toBe(true);
  expect(isOf(dev('http://127.0.0.1:20010'), 20_000)).toBe(false);
  expect(isOf(dev(''), 20_000)).toBe(false);
});

test('the leaf of a chain of processes', () => {
  const tree: Record<number, number[]> = { 1: [2], 2: [3, 4], 3: [] };
  expect(leafOf(1, (pid) => tree[pid] ?? [])).toBe(3);
  expect(leafOf(3, (pid) => tree[pid] ?? [])).toBe(3);
});

test('a base whose ports are taken is passed over', async () => {
  const free = await freePortBase();
  expect(free % 10).toBe(0);
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(free + 3, '127.0.0.1', resolve));
  try {
    const at = (base: number): number => (base - 20_000 + 5) / 12_000;
    const tries = [free, free, free + 10 < 32_000 ? free + 10 : free - 10].map(at);
    let next = 0;
    expect(await freePortBase(() => tries[next++] ?? Math.random())).not.toBe(free);
    expect(next).toBeGreaterThan(2);
  } finally {
    await new Promise((resolve) => taken.close(resolve));
  }
});
