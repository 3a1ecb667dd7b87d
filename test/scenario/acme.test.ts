/** Certificates by ACME: a node as a process, Debian's pebble as the authority, openssl as a stranger. Spec: docs/contract/platform.md §3.8. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '#runtime/cli/program.ts';
import { hasPebble, Pebble } from '#test/kit/pebble.ts';
import type { PebbleWish } from '#test/kit/pebble.ts';
import { OTHER_TENANT, TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';

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
async function seen(name: string): Promise<{ readonly verdict: string; readonly serial: string; readonly text: string }> {
  const root = join(dir, 'root.pem');
  writeFileSync(root, await pebble.root().catch(() => readFileSync(root, 'utf8')));
  const { host } = new URL(node!.listeners['gateway']!);
  const words = ['-connect', host, '-servername', name, '-verify_hostname', name, '-CAfile', root, '-showcerts'];
  const text = execFileSync('openssl', ['s_client', ...words], { input: '', stdio: ['pipe', 'pipe', 'ignore'] }).toString();
  const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(text)?.[0] ?? '';
  const serial = execFileSync('openssl', ['x509', '-noout', '-serial'], { input: certificate }).toString().trim();
  return { verdict: /Verify return code: (\d+ \(.*\))/.exec(text)?.[1] ?? text, serial, text };
}

const isTrusted = async (name: string): Promise<string> => (await seen(name)).verdict;
const orders = (): number => pebble.said.match(/POST \/order-plz/g)?.length ?? 0;

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
    const asked = request({ host: '127.0.0.1', port: pebble.httpPort, path, method, headers: { Host: host } }, (answer) => {
      answer.resume().on('end', () => resolve({ status: answer.statusCode!, location: answer.headers.location }));
    });
    asked.on('error', reject).end();
  });
}

describe.skipIf(!hasPebble)('certificates by ACME', { timeout: 120_000 }, () => {
  test('the first ones are gained and shown by name, though every third nonce is refused; nothing from outside orders', async () => {
    await prepare({ nonceReject: 30 });
    await serve();
    await expect.poll(() => isTrusted(SHOP), PATIENT).toBe('0 (ok)');
    await expect.poll(() => isTrusted(DESK), PATIENT).toBe('0 (ok)');
    console.log(node!.logged(), pebble.said.slice(-3000));
  });
});
