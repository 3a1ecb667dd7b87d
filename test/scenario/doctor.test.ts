/** `skep doctor` beside real ports, certificates of openssl and a running node. Spec: docs/contract/platform.md §1.5. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { skep } from '#test/runtime/cli/recorder.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';

interface Finding {
  readonly state: string;
  readonly check: string;
  readonly detail: string;
  readonly mend: string;
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-doctor-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function doctor(dir: string, yaml: string) {
  const file = join(dir, 'platform.yaml');
  writeFileSync(file, `storage: { dir: ./data, free_bytes_min: 0 }\n${yaml}\n`);
  const { code, out, err } = await skep(`doctor -f ${file} -o json`);
  const findings = out === '' ? [] : (JSON.parse(out) as Finding[]);
  return { code, err, findings, of: (check: string) => findings.find((one) => one.check === check) };
}

const NONE = 'listeners: { operations: false, intake: false }';

test('a machine on which a node would start: nothing but ok, and exit 0', async () => {
  const { code, findings } = await doctor(folder(), `gateway: { bind: 127.0.0.1:0 }\n${NONE}`);
  expect(findings.filter(({ state }) => state === 'fault')).toEqual([]);
  expect(findings.map(({ check }) => check)).toContain('listener gateway');
  expect(findings.at(-1)).toMatchObject({ check: 'node', detail: 'none serves this directory now' });
  expect(code).toBe(0);
});

test('a port of another program is a fault with what to do, and exit 1', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { code, of } = await doctor(folder(), `gateway: { bind: 127.0.0.1:${port} }\n${NONE}`);
  expect(of('listener gateway')).toMatchObject({
    state: 'fault',
    detail: `127.0.0.1:${port} is taken by another program`,
    mend: expect.stringContaining('SKEP_PORT_BASE'),
  });
  expect(code).toBe(1);
});

test('plain HTTP on a network, and operations on a public address, are warnings', async () => {
  const yaml = 'gateway: { bind: 0.0.0.0:0 }\nlisteners: { operations: { bind: 0.0.0.0:0 }, intake: false }';
  const { code, of } = await doctor(folder(), yaml);
  expect(of('gateway')).toMatchObject({ state: 'warning', detail: expect.stringContaining('over plain HTTP') });
  expect(of('operations')).toMatchObject({ state: 'warning' });
  expect(code).toBe(0);
});

/** A self-signed certificate of openssl that ends in so many days. */
function certificate(dir: string, name: string, days: number): string {
  const args = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=a.example.org'];
  const out = ['-keyout', join(dir, `${name}.key`), '-out', join(dir, `${name}.pem`)];
  execFileSync('openssl', ['req', '-x509', ...args, ...out, '-days', String(days)], { stdio: 'pipe' });
  return `{ cert: ./${name}.pem, key: ./${name}.key }`;
}

test('certificates: how long they last, and whether the key is theirs', async () => {
  const dir = folder();
  const long = certificate(dir, 'long', 90);
  const short = certificate(dir, 'short', 3);
  const stateOf = async (tls: string) =>
    (await doctor(dir, `gateway: { bind: 127.0.0.1:0, tls: ${tls} }\n${NONE}`)).of('gateway.tls');
  expect(await stateOf(long)).toMatchObject({
    state: 'ok',
    detail: expect.stringMatching(/valid for (?:89|90) more days$/),
  });
  expect(await stateOf(short)).toMatchObject({
    state: 'warning',
    mend: expect.stringContaining('reads it when it changes'),
  });
  const mixed = '{ cert: ./long.pem, key: ./short.key }';
  expect(await stateOf(mixed)).toMatchObject({ state: 'fault', detail: expect.stringContaining('is not the key of') });
  writeFileSync(join(dir, 'long.pem'), 'no certificate');
  expect(await stateOf(long)).toMatchObject({ state: 'fault', detail: expect.stringContaining('cannot be used') });
});

test('a file that a start would refuse is refused in the same words', async () => {
  const { code, err } = await doctor(
    folder(),
    'gateway: { bind: 127.0.0.1:0, tls: { cert: ./absent.pem, key: ./absent.key } }',
  );
  expect(code).toBe(2);
  expect(err).toContain('gateway.tls.cert: cannot read');
});

test('beside a running node: its own ports are no fault', async () => {
  const dir = folder();
  const file = writePlatformFile(dir);
  const port = String(20_000 + (process.pid % 10_000));
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('operations: { bind: 127.0.0.1:0 }', `operations: { bind: 127.0.0.1:${port} }`),
  );
  const node = await startProcess(file);
  onTestFinished(async () => void (await node.end('SIGTERM')));
  const { code, out } = await skep(`doctor -f ${file} -o json`);
  const findings = JSON.parse(out) as Finding[];
  expect(findings.filter(({ check }) => check.startsWith('listener'))).toEqual([]);
  expect(findings.find(({ check }) => check === 'node')).toMatchObject({ state: 'ok', detail: 'serves' });
  expect(code).toBe(0);
  await node.end('SIGTERM');
  const after = JSON.parse((await skep(`doctor -f ${file} -o json`)).out) as Finding[];
  expect(after.at(-1)).toMatchObject({ detail: 'none serves this directory now' });
});
