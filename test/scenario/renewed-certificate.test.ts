/** SIGHUP and the certificate of the gateway, from outside: `openssl s_client` against a process. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-renewed-'));
const key = join(dir, 'key.pem');
const cert = join(dir, 'cert.pem');
const PATIENT = { timeout: 20_000 };
let file: string;

beforeAll(() => {
  for (const name of ['spring', 'summer']) {
    const files = ['-keyout', join(dir, `${name}.key`), '-out', join(dir, `${name}.cert`)];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', `/CN=${name}`, ...files], { stdio: 'ignore' }); // prettier-ignore
  }
  install('spring');
  file = writePlatformFile(dir);
  const text = readFileSync(file, 'utf8');
  const tls = `tls: { key: ${key}, cert: ${cert} }`;
  writeFileSync(
    file,
    text.replace(/^gateway: \{ /m, (found) => `${found}${tls}, `),
  );
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function install(name: string): void {
  copyFileSync(join(dir, `${name}.key`), key);
  copyFileSync(join(dir, `${name}.cert`), cert);
}

/** The common name that a new connection is shown. */
function shown({ listeners }: ProcessNode, name?: string): string {
  const { host } = new URL(listeners['gateway']!);
  const text = execFileSync(
    'openssl',
    ['s_client', '-connect', host, ...(name === undefined ? [] : ['-servername', name])],
    {
      input: '',
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  return /^subject=.*CN ?= ?(\w+)$/m.exec(text.toString())?.[1] ?? text.toString();
}

/** One request on a connection that is kept; the port that it leaves from tells whether it is the same. */
function ask({ listeners }: ProcessNode, agent: Agent): Promise<readonly [status: number, from: number]> {
  return new Promise((resolve, reject) => {
    const call = request(`${listeners['gateway']}/health`, { agent, rejectUnauthorized: false });
    let from = 0;
    call.on('socket', (socket) => socket.once('secureConnect', () => (from = socket.localPort ?? 0)));
    call.on('response', (response) => {
      from = response.socket.localPort ?? from;
      response.resume().on('end', () => resolve([response.statusCode ?? 0, from]));
    });
    call.on('error', reject).end();
  });
}

test(
  'without a signal: a swapped link is noticed, half a pair is not shown; HSTS and names, by curl and openssl',
  { timeout: 60_000 },
  async () => {
    for (const [version, names] of [
      ['v1', 'shop.example'],
      ['v2', 'shop.example'],
    ] as const) {
      mkdirSync(join(dir, version));
      const files = ['-keyout', join(dir, version, 'key'), '-out', join(dir, version, 'cert')];
      execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', `/CN=${version}`, '-addext', `subjectAltName=DNS:${names}`, ...files], { stdio: 'ignore' }); // prettier-ignore
    }
    install('spring');
    const link = join(dir, '..data');
    symlinkSync('v1', link);
    const named = join(dir, 'named.yaml');
    const more = `others: [{ key: ${link}/key, cert: ${link}/cert }], hsts: { max_age: 1h, subdomains: true }`;
    writeFileSync(
      named,
      readFileSync(file, 'utf8')
        .replace(/tls: \{ /, (found) => `${found}${more}, `)
        .replaceAll(join(dir, 'data'), join(dir, 'named')),
    );
    const node = await startProcess(named);
    onTestFinished(async () => void (await node.end('SIGKILL')));
    expect([shown(node), shown(node, 'shop.example'), shown(node, 'other.example')]).toEqual([
      'spring',
      'v1',
      'spring',
    ]);
    const { host, port } = new URL(node.listeners['gateway']!);
    const head = execFileSync('curl', [
      '-sik',
      '--resolve',
      `shop.example:${port}:127.0.0.1`,
      `https://shop.example:${port}/health`,
    ]).toString();
    expect(head).toMatch(/^strict-transport-security: max-age=3600; includeSubDomains\r$/im);
    const missing = execFileSync('curl', ['-sik', `https://${host}/nothing`]).toString();
    expect(missing).toMatch(/^HTTP\/1.1 404[^]*strict-transport-security: max-age=3600; includeSubDomains\r$/im);
    symlinkSync('v2', `${link}.new`);
    renameSync(`${link}.new`, link);
    copyFileSync(join(dir, 'summer.cert'), cert);
    await expect.poll(() => node.logged(), PATIENT).toMatch(/was not read again.*summer|was not read again.*cert\.pem/);
    expect([shown(node), shown(node, 'shop.example')]).toEqual(['spring', 'v1']);
    copyFileSync(join(dir, 'summer.key'), key);
    await expect.poll(() => [shown(node), shown(node, 'shop.example')], PATIENT).toEqual(['summer', 'v2']);
  },
);

test.each(['uws', 'node'])(
  'SIGHUP: the gateway shows its new certificate, and serves old connections on (%s)',
  async (door) => {
    install('spring');
    const node = await startProcess(file, { SKEP_DOOR: door });
    onTestFinished(async () => void (await node.end('SIGKILL')));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const first = await ask(node, agent);
    expect([first[0], shown(node)]).toEqual([200, 'spring']);
    install('summer');
    process.kill(node.pid, 'SIGHUP');
    await expect.poll(() => shown(node), PATIENT).toBe('summer');
    expect(await ask(node, agent)).toEqual(first);
    await expect
      .poll(() => node.logged(), PATIENT)
      .toMatch(/"listener":"gateway".*"subject":"CN=summer".*certificate read again/);

    copyFileSync(join(dir, 'spring.key'), key);
    process.kill(node.pid, 'SIGHUP');
    await expect
      .poll(() => node.logged(), PATIENT)
      .toMatch(/the certificate of gateway was not read again.*key values mismatch/);
    expect(shown(node)).toBe('summer');
    expect(await ask(node, agent)).toEqual(first);
    agent.destroy();
    expect(await node.end('SIGTERM')).toBe(0);
  },
);
