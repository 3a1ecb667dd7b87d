/** A log and its witness as processes of their own. Contract: docs/contract/audit.md §3, §6 (witness client and verb, rollback). */
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuditProcess, type ServedAudit } from '#test/kit/audit-process.ts';
import { WITNESS_NAME, WitnessProcess } from '#test/kit/witness-process.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LOG = 'tenant/acme/shop/dev/main';
const LOG_PATH = `/logs/${encodeURIComponent(LOG)}`;

const audit = new AuditProcess();

const append = (served: ServedAudit, action: string) =>
  served.call('POST', `${LOG_PATH}/records?wait=checkpoint`, audit.service(), { action });

const cosigned = async (served: ServedAudit): Promise<string> =>
  (await served.call('GET', `${LOG_PATH}/cosigned`, audit.admin())).text;

const sizeOf = (note: string): number => Number(note.split('\n')[1]);

let served: ServedAudit;
let witness: WitnessProcess;
let logs: readonly string[];

beforeAll(async () => {
  await audit.open();
  served = await audit.serve();
  await append(served, 'test.zero');
  const shown = await served.call('GET', LOG_PATH, audit.admin());
  expect(await served.call('GET', `${LOG_PATH}/cosigned`, audit.admin())).toMatchObject({ status: 404 });
  await served.end('SIGTERM');
  logs = [(shown.json as { verifier_key: string }).verifier_key];
  witness = await WitnessProcess.start(audit.dir, logs);
  const anchor = `anchor: { url: '${witness.url}', key: '${witness.key}' }`;
  appendFileSync(audit.file, `sync: [{ log_pattern: '**', cadence: 50ms, ${anchor} }]\n`);
  served = await audit.serve();
}, 60_000);

afterAll(async () => {
  await witness?.kill();
  audit.close();
});

test(
  'checkpoints are cosigned: openssl verifies the line, and so does skep audit verify --witness',
  { timeout: 60_000 },
  async () => {
    expect(await append(served, 'test.one')).toMatchObject({ status: 200 });
    await expect.poll(async () => sizeOf(await cosigned(served)), { interval: 20, timeout: 20_000 }).toBe(2);
    expect((await served.call('GET', LOG_PATH, audit.admin())).json).toMatchObject({
      copies: { count: 0, behind_seconds: null },
      witnesses: { count: 1, behind_seconds: expect.any(Number) as number },
    });
    const note = await cosigned(served);
    const [text, lines] = note.split('\n\n') as [string, string];
    const [, name, base64] = lines.split('\n')[1]!.split(' ');
    expect(name).toBe(WITNESS_NAME);
    // Key id, time, signature (C2SP tlog-cosignature, "Format").
    const bytes = Buffer.from(base64!, 'base64');
    const seconds = bytes.readBigUInt64BE(4);
    const at = (file: string) => join(audit.dir, file);
    writeFileSync(at('signed'), `cosignature/v1\ntime ${seconds}\n${text}\n`);
    writeFileSync(at('signature'), bytes.subarray(12));
    const words = ['pkeyutl', '-verify', '-pubin', '-inkey', at('witness/witness.pub.pem'), '-rawin'];
    const said = execFileSync('openssl', [...words, '-in', at('signed'), '-sigfile', at('signature')]);
    expect(said.toString()).toContain('Signature Verified Successfully');
    const key = join(audit.dir, 'keys', 'audit', LOG, 'signing-key.pub.pem');
    const directory = join(audit.logs, LOG);
    expect((await skep(`audit verify ${directory} --key ${key} --witness ${witness.key}`)).code).toBe(0);
    const stranger = readFileSync(join(audit.dir, 'logs.txt'), 'utf8').trim().split('\n')[1]!;
    expect((await skep(`audit verify ${directory} --key ${key} --witness ${stranger}`)).code).toBe(1);
    expect((await skep(`audit verify ${directory} --key ${key} --witness nonsense`)).code).toBe(3);
  },
);

test('a witness that is killed knows what it cosigned', { timeout: 60_000 }, async () => {
  await witness.kill();
  expect(await append(served, 'test.two')).toMatchObject({ status: 200 });
  witness = await witness.again(logs);
  await expect.poll(async () => sizeOf(await cosigned(served)), { interval: 20, timeout: 20_000 }).toBe(3);
});

test(
  'old logs and old signed heads, brought back together, are refused as a rollback',
  { timeout: 60_000 },
  async () => {
    await served.end('SIGTERM');
    cpSync(audit.logs, join(audit.dir, 'old'), { recursive: true });
    served = await audit.serve();
    await append(served, 'test.three');
    await expect.poll(async () => sizeOf(await cosigned(served)), { interval: 20, timeout: 20_000 }).toBe(4);
    await served.end('SIGTERM');
    rmSync(audit.logs, { recursive: true });
    cpSync(join(audit.dir, 'old'), audit.logs, { recursive: true });
    served = await audit.serve();
    const refused = await append(served, 'test.other');
    expect(refused).toMatchObject({ status: 409, json: { code: 'audit.refused', details: { why: 'rollback' } } });
    expect(refused.text).toContain('the witness at http://127.0.0.1');
    expect((await served.call('GET', `${LOG_PATH}/records`, audit.admin())).json).toMatchObject({ size: 3 });
    expect(await served.end('SIGTERM')).toBe(0);
  },
);

test.each([
  ['--logs none.txt --dir x --name w', 'ENOENT'],
  ['--logs LOGS --dir x --name a+b', 'neither spaces nor a plus'],
  ['--logs LOGS --dir x --name w --listen nowhere', 'write host:port'],
])('the verb refuses %s', async (words, told) => {
  const line = words.replace('LOGS', join(audit.dir, 'logs.txt')).replace('--dir x', `--dir ${join(audit.dir, 'x')}`);
  const { code, err } = await skep(`audit witness ${line}`);
  expect(code).toBe(2);
  expect(err).toContain(told);
});

test('an anchor whose key is malformed is reported at the start', async () => {
  const text = readFileSync(audit.file, 'utf8').replace(/key: '[^']*' \}/, "key: 'nonsense' }");
  writeFileSync(audit.file, text);
  await expect(audit.serve()).rejects.toThrow('has no verifier key');
});
