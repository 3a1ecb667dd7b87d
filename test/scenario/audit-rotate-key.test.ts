/** `skep audit rotate-key`: a log gets a new signing key, and still verifies as one log. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuditProcess, type ServedAudit } from '#test/kit/audit-process.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LOG = 'tenant/acme/shop/dev/main';
const LOG_PATH = `/logs/${encodeURIComponent(LOG)}`;
const LIMIT = { timeout: 90_000 };
const audit = new AuditProcess();
const directory = join(audit.logs, LOG);
const copies = join(audit.dir, 'copies');
const privateKey = join(audit.dir, 'keys', 'audit', LOG, 'signing-key.pem');
const publicKey = privateKey.replace('.pem', '.pub.pem');
let served: ServedAudit;

beforeAll(async () => {
  mkdirSync(copies);
  await audit.open(`sync:\n  - { log_pattern: '**', targets: [{ kind: fs, path: ${copies} }], cadence: 1s }\n`);
  served = await audit.serve();
}, 60_000);
afterAll(async () => {
  await served.end('SIGTERM');
  audit.close();
});

async function append(): Promise<number> {
  const records = Array.from({ length: 3 }, () => ({ action: 'test.row' }));
  return (await served.call('POST', `${LOG_PATH}/records?wait=checkpoint`, audit.service(), records)).status;
}

async function verified(place: string, key: string): Promise<string> {
  return (JSON.parse((await skep(`audit verify ${place} --key ${key} --json`)).out) as { verdict: string }).verdict;
}

const rotate = () => skep(`audit rotate-key ${LOG} -f ${audit.file} --alone -o json`);

test(
  'the old key records and signs it, the log goes on under the new one and verifies by both, as its copies do',
  LIMIT,
  async () => {
    expect(await append()).toBe(200);
    expect((await rotate()).code).toBe(1); // the service has the directory
    expect(await served.end('SIGTERM')).toBe(0);
    const before = readFileSync(privateKey, 'utf8');
    const old = join(audit.dir, 'old.pub.pem');
    writeFileSync(old, readFileSync(publicKey));

    const { code, out, err } = await rotate();
    expect([code, err]).toEqual([0, '']);
    const rotation = JSON.parse(out) as { log: string; size: number; old: string; new: string };
    expect(rotation).toMatchObject({ log: LOG, size: 4 });
    expect(readFileSync(privateKey, 'utf8')).not.toBe(before);
    for (const key of [old, publicKey]) expect(await verified(directory, key)).toBe('good');

    served = await audit.serve();
    expect(await append()).toBe(200);
    const { json } = await served.call('GET', `${LOG_PATH}/records?action=audit.key.rotated`, audit.admin());
    expect((json as { records: object[] }).records).toMatchObject([
      { source: 'audit', data: { old: rotation.old, new: rotation.new } },
    ]);
    const copy = join(copies, LOG);
    await expect
      .poll(() => readFileSync(join(copy, 'checkpoint'), 'utf8').split('\n')[1], { timeout: 20_000 })
      .toBe('7');
    for (const place of [directory, copy])
      for (const key of [old, publicKey]) expect(await verified(place, key)).toBe('good');
  },
);

test('a key that was put there without a rotation is damage still', LIMIT, async () => {
  expect(await served.end('SIGTERM')).toBe(0);
  const kept = readFileSync(privateKey);
  rmSync(privateKey);
  served = await audit.serve();
  expect(await append()).toBe(409);
  expect(await served.end('SIGTERM')).toBe(0);
  writeFileSync(privateKey, kept);
  served = await audit.serve();
  expect(await append()).toBe(200);
});
