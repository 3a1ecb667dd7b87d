import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { callControl, openControl, socketPath } from '#runtime/control.ts';
import { runVerb, type OperatedNode } from '#runtime/control-verbs.ts';
import { unasked } from '#test/kit/unasked.ts';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function freshDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-control-'));
  dirs.push(dir);
  return dir;
}

const node: OperatedNode = {
  provision: (tenant) =>
    tenant === 'bad'
      ? Promise.reject(new Error('no such tenant'))
      : Promise.resolve({ tenant, state: 'active', steps: [], admin: null }),
  stand: unasked,
  setQuota: unasked,
  usage: unasked,
  tenants: () => [],
  degraded: () => [],
  eraseSubmissions: unasked,
  admin: unasked,
  ask: unasked,
  bootstrap: unasked,
  rotateRing: unasked,
  renewCertificate: unasked,
  copies: {
    backup: unasked,
    restore: unasked,
    export: unasked,
    move: unasked,
    delete: unasked,
    repair: unasked,
  },
  backups: { now: unasked, list: unasked, status: unasked, verify: unasked },
  places: { moveTo: () => Promise.reject(new Error('not here')), rebalance: unasked },
  shardCopies: { now: unasked },
};

test('a verb goes to the running node and its result comes back; the socket is for its owner only', async () => {
  const dir = freshDir();
  const close = await openControl(dir, node);
  expect(statSync(socketPath(dir)).mode & 0o777).toBe(0o600);
  expect(await callControl(dir, 'tenant.provision', { tenant: 'a:b:c:d' })).toEqual({
    result: { tenant: 'a:b:c:d', state: 'active', steps: [], admin: null },
  });
  expect(await callControl(dir, 'tenant.list', null)).toEqual({ result: [] });
  await expect(callControl(dir, 'tenant.provision', { tenant: 'bad' })).rejects.toThrow('no such tenant');
  await expect(callControl(dir, 'nothing', null)).rejects.toThrow('no control verb nothing');
  for (const verb of ['__proto__', 'constructor', 'toString'])
    await expect(callControl(dir, verb, null), verb).rejects.toThrow('no control verb');
  await expect(callControl(dir, 'tenant.list', 'x'.repeat(1024 * 1024))).rejects.toThrow('at most');
  await close();
  expect(await callControl(dir, 'tenant.list', null)).toBeUndefined();
});

test("no node: undefined, so that the caller starts one itself; a dead node's socket is no node", async () => {
  const dir = freshDir();
  expect(await callControl(dir, 'tenant.list', null)).toBeUndefined();
  writeFileSync(socketPath(dir), '');
  expect(await callControl(dir, 'tenant.list', null)).toBeUndefined();
  const close = await openControl(dir, node);
  expect(existsSync(socketPath(dir))).toBe(true);
  expect(await callControl(dir, 'tenant.list', null)).toEqual({ result: [] });
  await close();
});

test('an unknown verb is refused here too', async () => {
  await expect(runVerb(node, 'nothing', null)).rejects.toThrow('no control verb');
});
