/** An authority that answers badly: each order ends with a fault in words, within its bounds, and asks for nothing over plain HTTP. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { AcmeFault } from '#runtime/acme/fault.ts';
import { orderCertificate } from '#runtime/acme/order.ts';
import { newKey } from '#runtime/acme/paper.ts';

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

const dir = mkdtempSync(join(tmpdir(), 'skep-hostile-authority-'));
const [keyFile, certFile] = [join(dir, 'key'), join(dir, 'cert')];
let server: Server;
let base: string;
let answers: Record<string, Answer>;
let asked: string[];

beforeAll(async () => {
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=h'];
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', keyFile, '-out', certFile];
  execFileSync('openssl', ['req', '-x509', ...kind, ...names], { stdio: 'ignore' });
  server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, (incoming, outgoing) => {
    const path = (incoming.url ?? '').slice(1);
    asked.push(path);
    incoming.resume();
    outgoing.setHeader('Replay-Nonce', `nonce-${asked.length}`);
    (answers[path] ?? GOOD[path] ?? ((_, out) => out.writeHead(404).end()))(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => server.closeAllConnections());
afterAll(() => {
  server.close();
  rmSync(dir, { recursive: true });
});

const json =
  (status: number, body: () => object, headers: Record<string, string> = {}): Answer =>
  (_, outgoing) =>
    void outgoing.writeHead(status, headers).end(JSON.stringify(body()));
const located =
  (status: number, path: string, body: () => object): Answer =>
  (incoming, outgoing) =>
    json(status, body, { Location: `${base}/${path}` })(incoming, outgoing);
const problem = (status: number, type: string, detail: string, headers = {}): Answer =>
  json(status, () => ({ type: `urn:ietf:params:acme:error:${type}`, detail }), headers);

/** An authority that takes everything, up to the validation. */
const GOOD: Record<string, Answer> = {
  dir: json(200, () => ({ newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` })),
  nonce: (_, outgoing) => void outgoing.end(),
  account: located(201, 'accounts/1', () => ({ status: 'valid' })),
  order: located(201, 'orders/1', () => ({
    status: 'pending',
    authorizations: [`${base}/authorization`],
    finalize: `${base}/finalize`,
  })),
  authorization: json(200, () => ({
    status: 'pending',
    challenges: [{ type: 'http-01', url: `${base}/challenge`, token: 'token' }],
  })),
  challenge: json(200, () => ({ status: 'pending' })),
};

const withoutNonce =
  (path: string): Answer =>
  (incoming, outgoing) => {
    outgoing.removeHeader('Replay-Nonce');
    GOOD[path]!(incoming, outgoing);
  };

/** The fault of an order; fails where there is none. */
async function faultOf(bad: Record<string, Answer>, signal = AbortSignal.timeout(20_000)): Promise<AcmeFault> {
  answers = bad;
  asked = [];
  const order = orderCertificate({
    name: 'app.example.org',
    directory: `${base}/dir`,
    ca: readFileSync(certFile, 'utf8'),
    contact: [],
    eab: undefined,
    accountKey: await newKey(),
    signal,
    now: Date.now,
    offer: () => Promise.resolve(() => Promise.resolve()),
  });
  return order.then(
    () => expect.fail('a certificate came'),
    (error: unknown) => error as AcmeFault,
  );
}

test('a limit is told with how long the authority wants to be left alone', async () => {
  const limited = problem(429, 'rateLimited', 'too many\r\n\u001b[31mcertificates', { 'Retry-After': '7200' });
  const fault = await faultOf({ order: limited });
  expect(fault.message).toBe(
    'the authority refused the order for app.example.org: too many [31mcertificates (rateLimited)',
  );
  expect([fault.kind, fault.waitMs, fault.mend]).toEqual([
    'rateLimited',
    7_200_000,
    expect.stringMatching(/^nothing: /),
  ]);
  expect((await faultOf({ dir: json(503, () => ({}), { 'Retry-After': '60' }) })).waitMs).toBe(60_000);
});

test('a nonce that is refused for ever ends the order', async () => {
  const fault = await faultOf({ account: problem(400, 'badNonce', 'no') });
  expect(fault.kind).toBe('badNonce');
  expect(asked.filter((path) => path === 'account')).toHaveLength(limits.acme.nonceTriesMax);
});

test('what the authority found wrong with a challenge is said, with what to do', async () => {
  let looks = 0;
  const error = { type: 'urn:ietf:params:acme:error:connection', detail: 'refused' };
  const invalid = json(200, () => ({ status: 'invalid', challenges: [{ type: 'http-01', error }] }));
  const fault = await faultOf({
    authorization: (incoming, outgoing) => (looks++ === 0 ? GOOD['authorization']! : invalid)(incoming, outgoing),
  });
  expect(fault.message).toBe('the authority refused the validation of app.example.org: refused (connection)');
  expect(fault.mend).toContain('let port 80 of the name lead to gateway.tls.acme.http_bind');
});

test.each<readonly [string, Record<string, Answer>, string]>([
  ['no JSON', { dir: (_, out) => void out.end('<html>') }, 'the authority gave no https URL as its newNonce'],
  [
    'an URL of plain HTTP',
    { dir: json(200, () => ({ newNonce: 'http://127.0.0.1/' })) },
    'no https URL as its newNonce',
  ],
  ['a redirect', { dir: (_, out) => void out.writeHead(302, { Location: `${base}/order` }).end() }, 'it answered 302'],
  ['no nonce', { dir: withoutNonce('dir'), nonce: withoutNonce('nonce') }, 'request for a nonce'],
  ['no account', { account: json(201, () => ({})) }, 'no https URL as its account'],
  [
    'no authorization',
    { order: located(201, 'o', () => ({ authorizations: 'x' })) },
    'no https URL as its authorization',
  ],
  [
    'no http-01',
    { authorization: json(200, () => ({ challenges: [{ type: 'dns-01' }] })) },
    'does not offer to validate app.example.org over HTTP',
  ],
  [
    'a path as its token',
    { authorization: json(200, () => ({ challenges: [{ type: 'http-01', url: `${base}/c`, token: '../..' }] })) },
    'a token that is none',
  ],
  [
    'more than an answer may have',
    { account: (_, out) => void out.end('x'.repeat(limits.acme.answerBytesMax + 1)) },
    'more than an answer may have',
  ],
  [
    'half an answer',
    { account: (_, out) => void (out.writeHead(200, { 'Content-Length': '10' }).write('x'), out.destroy()) },
    'cannot be reached',
  ],
])('%s is a fault in words', async (_, bad, words) => {
  const fault = await faultOf({ ...bad });
  expect([fault.name, fault.message]).toEqual(['AcmeFault', expect.stringContaining(words)]);
  expect(fault.mend).not.toBe('');
});

test('an authority that does not answer any more holds no order that is to end', async () => {
  const stop = new AbortController();
  const fault = await faultOf({ account: () => stop.abort() }, stop.signal);
  expect(fault.message).toContain('did not answer in time');
});
