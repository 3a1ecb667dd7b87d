/** Certificates by ACME: a node as a process, Debian's pebble as the authority, openssl as a stranger. Spec: docs/contract/platform.md §3.8. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '#runtime/cli/program.ts';
import { hasPebble, Pebble, type PebbleWish } from '#test/kit/pebble.ts';
import { OTHER_TENANT, TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';

const PATIENT = { timeout: 30_000, interval: 100 };
const SHOP = 'shop.acme.test';
const DESK = 'desk.acme.test';

let dir: string;
let pebble: Pebble;
let file: string;
let node: ProcessNode | null;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-acme-'));
  pebble = new Pebble();
  node = null;
});
afterEach(async () => {
  await node?.end('SIGKILL');
  await pebble.remove();
  rmSync(dir, { recursive: true, force: true });
});

const pairOf = (name: string): string => join(dir, 'data', 'acme', 'pairs', `${name}.pem`);
const attempts = (): string => readFileSync(join(dir, 'data', 'acme', 'attempts.json'), 'utf8');

/** Starts the authority and writes the platform file; `more`: keys of `gateway.tls.acme`. */
async function prepare(wish: PebbleWish = {}, more = ''): Promise<void> {
  await pebble.start(wish);
  const sites = `{ ${SHOP}: { tenant: "${TENANT}" }, ${DESK}: { tenant: "${OTHER_TENANT}" } }`;
  file = writePlatformFile(dir, { sites });
  const bind = /http_bind/.test(more) ? '' : `http_bind: "127.0.0.1:${pebble.httpPort}", `;
  const acme = `directory: "${pebble.directory}", ca_file: ${pebble.caFile}, agree_terms: true, ${bind}${more}`;
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(/^gateway: \{ /m, (found) => `${found}tls: { acme: { ${acme} } }, `),
  );
}

async function serve(): Promise<ProcessNode> {
  node = await startProcess(file);
  return node;
}

/** What a stranger sees that trusts the authority alone: the subject's or the name's verdict, and the serial. */
async function seen(
  name: string,
): Promise<{ readonly verdict: string; readonly serial: string; readonly text: string }> {
  const root = join(dir, 'root.pem');
  writeFileSync(root, await pebble.root().catch(() => readFileSync(root, 'utf8')));
  const { host } = new URL(node!.listeners['gateway']!);
  const words = ['-connect', host, '-servername', name, '-verify_hostname', name, '-CAfile', root, '-showcerts'];
  const text = execFileSync('openssl', ['s_client', ...words], {
    input: '',
    stdio: ['pipe', 'pipe', 'ignore'],
  }).toString();
  const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(text)?.[0] ?? '';
  const serial = execFileSync('openssl', ['x509', '-noout', '-serial'], { input: certificate }).toString().trim();
  return { verdict: /Verify return code: (\d+ \(.*\))/.exec(text)?.[1] ?? text, serial, text };
}

const isTrusted = async (name: string): Promise<string> => (await seen(name)).verdict;
/** Orders that the authority has made since its start. */
const orders = (): number => pebble.said.match(/Added order/g)?.length ?? 0;

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function skep(...words: readonly string[]): Promise<Said> {
  let out = '';
  let err = '';
  const terminal = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    env: process.env,
    columns: 200,
  };
  const code = await runCli(words, terminal as unknown as Parameters<typeof runCli>[1]);
  return { code, out, err };
}

interface PlainAnswer {
  readonly status: number;
  readonly location: string | undefined;
}

function plain(host: string, path: string, method = 'GET'): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port: pebble.httpPort, path, method, headers: { Host: host } },
      (answer) => {
        answer.resume().on('end', () => resolve({ status: answer.statusCode!, location: answer.headers.location }));
      },
    );
    asked.on('error', reject).end();
  });
}

describe.skipIf(!hasPebble)('certificates by ACME', { timeout: 120_000 }, () => {
  test('the first ones are gained and shown by name, though many nonces are refused; nothing from outside orders', async () => {
    await prepare({ nonceReject: 30 });
    await serve();
    await expect.poll(() => isTrusted(SHOP), PATIENT).toBe('0 (ok)');
    await expect.poll(() => isTrusted(DESK), PATIENT).toBe('0 (ok)');

    for (const place of ['', 'pairs', 'accounts']) {
      const folder = join(dir, 'data', 'acme', place);
      expect(statSync(folder).mode & 0o777, folder).toBe(0o700);
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (entry.isFile()) expect(statSync(join(folder, entry.name)).mode & 0o777, entry.name).toBe(0o600);
    }
    expect(readdirSync(join(dir, 'data', 'acme', 'pairs')).toSorted()).toEqual([`${DESK}.pem`, `${SHOP}.pem`]);

    expect(orders()).toBe(2);
    expect((await seen('stranger.acme.test')).text).toContain('CN = skep: no certificate yet');
    expect((await plain('stranger.acme.test', '/')).status).toBe(421);
    expect(await plain(SHOP, '/a//b?c=d', 'POST')).toEqual({ status: 308, location: `https://${SHOP}/a//b?c=d` });
    expect((await plain(SHOP, '/.well-known/acme-challenge/unknown')).status).toBe(404);
    expect((await plain(SHOP, 'http://elsewhere.test/')).status).toBe(400);
    const metrics = await (await fetch(`${node!.listeners['operations']}/metrics`)).text();
    expect(metrics).toMatch(/skep_acme_orders_total\{outcome="issued"\} 2\n/);
    expect(metrics).toMatch(
      new RegExp(`skep_certificate_not_after_timestamp_seconds\\{listener="gateway",certificate="${SHOP}"\\} \\d+`),
    );
    const rows = JSON.parse((await skep('tls', 'status', '-f', file, '-o', 'json')).out) as Record<string, unknown>[];
    expect(rows.map(({ failures, name }) => [name, failures])).toEqual([
      [SHOP, 0],
      [DESK, 0],
    ]);
    expect((await skep('doctor', '-f', file)).out).toMatch(
      /ok +certificate shop\.acme\.test +it ends at \S+, in \d+ days/,
    );
    expect(orders()).toBe(2);

    const before = await seen(SHOP);
    expect((await skep('tls', 'renew', '-f', file, '--name', 'else.acme.test')).err).toContain(
      `it is ordered for ${SHOP}, ${DESK}`,
    );
    const renewed = await skep('tls', 'renew', '-f', file, '--name', SHOP);
    expect([renewed.code, renewed.err]).toEqual([0, '']);
    await expect.poll(async () => (await seen(SHOP)).serial !== before.serial, PATIENT).toBe(true);
    expect([orders(), await isTrusted(SHOP), await isTrusted(DESK)]).toEqual([3, '0 (ok)', '0 (ok)']);
    expect(await node!.end('SIGTERM')).toBe(0);
  });

  test('a certificate is renewed by itself before it ends', async () => {
    await prepare({ seconds: 24 }, `names: [${SHOP}]`);
    await serve();
    await expect.poll(() => isTrusted(SHOP), PATIENT).toBe('0 (ok)');
    const { serial } = await seen(SHOP);
    await expect.poll(async () => (await seen(SHOP)).serial !== serial, PATIENT).toBe(true);
    expect(await isTrusted(SHOP)).toBe('0 (ok)');
    expect(readdirSync(join(dir, 'data', 'acme', 'pairs'))).toEqual([`${SHOP}.pem`]);
  });

  test('an authority that is down costs the renewal alone; the wait after it outlives kill -9', async () => {
    await prepare({}, `names: [${SHOP}]`);
    await serve();
    await expect.poll(() => isTrusted(SHOP), PATIENT).toBe('0 (ok)');
    const first = await seen(SHOP);
    await pebble.stop();
    const failed = await skep('tls', 'renew', '-f', file, '--name', SHOP);
    expect(failed.code).toBe(1);
    expect(failed.err).toMatch(
      /the authority at 127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED\n    look at the network/,
    );
    expect(node!.logged()).toContain('no new certificate for shop.acme.test: the authority at 127.0.0.1');
    expect(await seen(SHOP)).toMatchObject({ verdict: '0 (ok)', serial: first.serial });
    const remembered = attempts();
    expect(JSON.parse(remembered)).toMatchObject({ [SHOP]: { failures: 1 } });
    const status = await skep('tls', 'status', '-f', file);
    expect(status.out).toContain('ECONNREFUSED');
    expect((await skep('doctor', '-f', file)).out).toMatch(/warning +certificate shop\.acme\.test .*1 in a row/);

    await node!.end('SIGKILL');
    const root = readFileSync(join(dir, 'root.pem'));
    await pebble.start();
    await serve();
    pebble.root = () => Promise.resolve(root.toString());
    expect(await seen(SHOP)).toMatchObject({ verdict: '0 (ok)', serial: first.serial });
    expect([attempts(), orders()]).toEqual([remembered, 0]);
  });

  test('kill -9 in the middle of an order leaves the old pair whole, and what it left half done is removed', async () => {
    await prepare({}, `names: [${SHOP}]`);
    await serve();
    await expect.poll(() => isTrusted(SHOP), PATIENT).toBe('0 (ok)');
    const first = await seen(SHOP);
    const root = await pebble.root();
    await pebble.stop();
    await pebble.start({ isSlow: true });
    const interrupted = skep('tls', 'renew', '-f', file, '--name', SHOP);
    await expect.poll(() => pebble.said, PATIENT).toMatch(/Starting \d+ validations/);
    await node!.end('SIGKILL');
    expect((await interrupted).code).toBe(1);
    writeFileSync(`${pairOf(SHOP)}.unfinished`, 'half of a', { mode: 0o600 });
    await serve();
    pebble.root = () => Promise.resolve(root);
    expect(await seen(SHOP)).toMatchObject({ verdict: '0 (ok)', serial: first.serial });
    expect(existsSync(`${pairOf(SHOP)}.unfinished`)).toBe(false);
    expect(JSON.parse(attempts())).toMatchObject({
      [SHOP]: { failures: 1, failure: { what: 'the node ended in the middle of the order' } },
    });
    const remembered = attempts();
    const stopped = skep('tls', 'renew', '-f', file, '--name', SHOP);
    await expect.poll(() => pebble.said.match(/Starting \d+ validations/g)?.length, PATIENT).toBe(2);
    expect(await node!.end('SIGTERM')).toBe(0); // a stop neither waits for the authority nor counts as a failure
    expect((await stopped).code).toBe(1);
    expect(attempts()).toBe(remembered);
  });

  test('what the authority finds wrong is said in words: a port that does not lead here, an account that is missing', async () => {
    const eab = { kid: 'kid-1', hmac: 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W' };
    await prepare({ eab }, `names: [${SHOP}]`);
    await serve();
    const failures = async (): Promise<string> => (await skep('tls', 'status', '-f', file)).out;
    await expect.poll(failures, PATIENT).toMatch(/externalAccountRequired.*set gateway\.tls\.acme\.eab/);
    expect((await seen(SHOP)).text).toContain('CN = skep: no certificate yet');
    const ready = await fetch(`${node!.listeners['operations']}/readyz`, { headers: { Accept: 'application/json' } });
    expect([ready.status, await ready.text()]).toEqual([
      200,
      expect.stringContaining(`"scope":"certificate","name":"${SHOP}"`),
    ]);
    expect(await node!.end('SIGTERM')).toBe(0);

    const text = readFileSync(file, 'utf8').replace(
      'agree_terms',
      `eab: { kid: ${eab.kid}, hmac: ${eab.hmac} }, agree_terms`,
    );
    writeFileSync(file, text.replace(/http_bind: "127\.0\.0\.1:\d+"/, 'http_bind: "127.0.0.1:0"'));
    await serve();
    await skep('tls', 'renew', '-f', file, '--name', SHOP);
    expect(await failures()).toMatch(/the authority refused the (?:validation|order).*let port 80 of the name lead to/);
    expect(await node!.end('SIGTERM')).toBe(0);

    writeFileSync(file, text);
    const other = createServer().listen(pebble.httpPort, '127.0.0.1');
    await once(other, 'listening');
    await serve(); // the port is taken: that costs the order alone
    expect(node!.logged()).toContain(`cannot listen on 127.0.0.1:${pebble.httpPort} (EADDRINUSE)`);
    expect((await skep('tls', 'renew', '-f', file, '--name', SHOP)).err).toContain('stop the program that holds it');
    other.close();
    await once(other, 'close');
    expect(await skep('tls', 'renew', '-f', file, '--name', SHOP)).toMatchObject({ code: 0, err: '' });
    await expect.poll(() => isTrusted(SHOP), PATIENT).toBe('0 (ok)');
    expect(node!.logged()).not.toContain(eab.hmac);
  });
});
