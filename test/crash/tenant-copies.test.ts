/**
 * kill -9 inside backup, restore, move and delete: the tenant is before or behind the verb, or the verb is finished by another run or
 * by the next start; nothing half done is ever served. docs/decisions/backup.md BK-4, BK-10 to BK-12.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dumpStorage } from '#storage/dump.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { startTestNode, type Headers, type TestNode } from '#test/kit/test-node.ts';

const child = fileURLToPath(new URL('./copying-child.ts', import.meta.url));
const COPY = 'acme:shop:dev:copy';
const LIMIT = { timeout: 120_000 };
const ROWS = 4200;
/** One delay of each; `npm run test:ci` takes every second one, `npm run campaign` all of them. */
const COUNT = rounds({ suite: 1, ci: 1 });
const some = <T>(one: T, ...all: readonly T[]): readonly T[] =>
  COUNT === 1 ? [one] : COUNT > 3 ? all : all.filter((_, at) => at % 2 === 0);
/** Milliseconds after the step began: at once, in the middle, likely behind its end. */
const DELAYS = some(60, 0, 20, 60, 150, 400);
const MOVES = some<readonly [step: string, ms: number]>(
  ['copying', 40],
  ['copying', 0],
  ['copying', 40],
  ['copying', 120],
  ['sweeping', 0],
  ['sweeping', 30],
);

const dir = mkdtempSync(join(tmpdir(), 'skep-copies-'));
const file = writePlatformFile(dir, { hosts: 2 });
const backup = join(dir, 'main.skep');
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let expected: unknown;
let key: string;

const open = (): Promise<TestNode> => startTestNode({ dir, hosts: 2 });

async function within<T>(use: (it: TestNode) => Promise<T>): Promise<T> {
  const it = await open();
  try {
    return await use(it);
  } finally {
    await it.stop();
  }
}

const bearer = async (it: TestNode, tenant: string): Promise<Headers> => {
  const exchanged = await it.call('POST', '/auth/token', { ...it.position(), Authorization: `ApiKey ${key}` });
  return { ...it.position(tenant), Authorization: `Bearer ${(exchanged.json as { token: string }).token}` };
};

async function rowsOf(it: TestNode, tenant: string): Promise<unknown> {
  const headers = await bearer(it, tenant);
  const list = await it.call('GET', '/data/rest/item?limit=10000&orderby=id', headers);
  expect(list.status, list.text).toBe(200);
  const scan = await it.call('GET', '/data/rest/paper/id/p1?download=true&field=scan', headers);
  return { rows: (list.json as { data: unknown }).data, scan: scan.text };
}

const entryOf = (it: TestNode, tenant: string): TenantEntry | undefined =>
  it.node.tenants().find(({ position }) => position.key === tenant);

/** Whether the verb was killed; false when it was done before. */
async function killed(verb: string, body: object, step: string, ms: number): Promise<boolean> {
  const process_ = spawn(process.execPath, [child, file, verb, JSON.stringify(body), step, String(ms)], {
    stdio: 'inherit',
  });
  const how = await new Promise((resolve) => process_.on('exit', (code, signal) => resolve(signal ?? code)));
  expect(['SIGKILL', 0]).toContain(how);
  if (how === 'SIGKILL') tally({ kills: 1 });
  return how === 'SIGKILL';
}

/** Entries that a stopped directory holds of a tenant's number. */
async function entriesOf(no: number): Promise<number> {
  let entries = 0;
  await dumpStorage(join(dir, 'data'), () => entries++, { tenant: no });
  return entries;
}

beforeAll(async () => {
  await within(async (it) => {
    const wish = { service: 'test', capabilities: { scope: ['acme:dev:shop:*'] } };
    key = ((await it.node.ask(TENANT, 'identity', 'key.issue', wish)) as { key: string }).key;
    const headers = await bearer(it, TENANT);
    for (let from = 0; from < ROWS; from += 700) {
      const rows = Array.from({ length: 700 }, (_, i) => ({ name: `row ${from + i}`, token: 't'.repeat(200) }));
      const operations = [{ data: { item: rows } }];
      expect((await it.call('POST', '/data/rest', headers, { operations })).status).toBe(200);
    }
    const form = new FormData();
    for (const [name, value] of Object.entries({ id: 'p1', title: 'p1' })) form.append(name, value);
    form.append('scan', new File(['f'.repeat(3_000_000)], 'a.txt'));
    const sent = await fetch(`${it.gateway}/data/rest/paper`, { method: 'POST', headers, body: form });
    expect(sent.status).toBe(201);
    expected = await rowsOf(it, TENANT);
    await it.node.copies.backup({ tenant: TENANT, to: backup });
  });
}, 60_000);

describe('a restore', () => {
  test.each(DELAYS)('killed %i ms in: not to be seen, and another run brings all of it', LIMIT, async (ms) => {
    const wish = { from: backup, as: COPY };
    const wasKilled = await killed('tenant.restore', wish, 'restoring', ms);
    await within(async (it) => {
      const state = entryOf(it, COPY)?.state;
      if (state !== 'active') {
        expect([wasKilled, state]).toEqual([true, 'restoring']);
        const answer = await it.call('GET', '/data/rest/item', await bearer(it, COPY));
        expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('v2.no_tenant')]);
        await expect(it.node.ask(COPY, 'identity', 'key.list', { after: null })).rejects.toThrow('is being restored');
        await expect(it.node.copies.backup({ tenant: COPY, to: join(dir, 'no.skep') })).rejects.toThrow('restored');
        await it.node.copies.restore(wish);
      }
      expect(await rowsOf(it, COPY)).toEqual(expected);
      await it.node.copies.delete({ tenant: COPY, confirm: COPY });
    });
  });
});

describe('a deletion', () => {
  test.each(DELAYS)('killed %i ms in: the next start finishes it', LIMIT, async (ms) => {
    const no = await within(async (it) => {
      await it.node.copies.restore({ from: backup, as: COPY });
      return entryOf(it, COPY)!.no;
    });
    expect(await entriesOf(no)).toBeGreaterThan(ROWS);
    await killed('tenant.delete', { tenant: COPY, confirm: COPY }, 'deleting', ms);
    await within(async (it) => {
      const seen = entryOf(it, COPY);
      if (seen !== undefined) expect(seen.state).toBe('deleting');
      await expect.poll(() => entryOf(it, COPY), { timeout: 20_000 }).toBeUndefined();
      expect(await rowsOf(it, TENANT)).toEqual(expected);
    });
    expect(await entriesOf(no)).toBe(0);
    expect(existsSync(join(dir, 'data', 'blobs', String(no)))).toBe(false);
  });
});

describe('a move', () => {
  test.each(MOVES)(
    'killed while %s, %i ms in: all of it at one place, nothing at the other',
    LIMIT,
    async (step, ms) => {
      const before = await within(async (it) => {
        if (entryOf(it, COPY) === undefined) await it.node.copies.restore({ from: backup, as: COPY });
        return entryOf(it, COPY)!;
      });
      await killed('tenant.move', { tenant: COPY, shard: (before.shard + 1) % 4 }, step, ms);
      const after = await within(async (it) => {
        await expect.poll(() => entryOf(it, COPY)?.state, { timeout: 20_000 }).toBe('active');
        const unfinished = async (): Promise<unknown> =>
          it.node.ask('superadmin:superadmin:superadmin:superadmin', 'identity', 'life.unfinished', null);
        await expect.poll(unfinished, { timeout: 20_000 }).toEqual([]);
        expect(await rowsOf(it, COPY)).toEqual(expected);
        return entryOf(it, COPY)!;
      });
      const numbers = Array.from({ length: 12 }, (_, at) => before.no - 4 + at).filter(
        (no) => no > 3 && no !== after.no,
      );
      for (const no of numbers) expect([no, await entriesOf(no)]).toEqual([no, 0]);
      if (existsSync(join(dir, 'data', 'moving'))) expect(readdirSync(join(dir, 'data', 'moving'))).toEqual([]);
    },
  );
});

describe('a backup', () => {
  test.each(some(40, 0, 10, 40, 100))('killed %i ms in: no file has its name unless it is whole', LIMIT, async (ms) => {
    const to = join(dir, `killed-${ms}.skep`);
    const wasKilled = await killed('tenant.backup', { tenant: TENANT, to }, 'copying', ms);
    expect(wasKilled || existsSync(to)).toBe(true);
    await within(async (it) => {
      if (!existsSync(to)) await it.node.copies.backup({ tenant: TENANT, to });
      await it.node.copies.restore({ from: to, as: 'acme:shop:dev:again' });
      expect(await rowsOf(it, 'acme:shop:dev:again')).toEqual(expected);
      await it.node.copies.delete({ tenant: 'acme:shop:dev:again', confirm: 'acme:shop:dev:again' });
    });
  });
});
