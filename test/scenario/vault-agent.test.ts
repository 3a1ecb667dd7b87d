/** The vault and an agent as two processes, a workload that speaks gRPC to it. Contract: docs/contract/vault-pki.md §7. */
import { Client, Metadata, credentials, type ClientReadableStream, type ServiceError } from '@grpc/grpc-js';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { X509Certificate, createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HiveVault, TRUST_DOMAIN } from '#test/kit/hive-vault.ts';

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));
const vault = new HiveVault();
const dir = vault.path('agent');
const socket = vault.path('agent.sock');
const place = ['--dir', dir, '--socket', socket];
const SCOPE = 'dc=dc1,cluster=main';
const API = `spiffe://${TRUST_DOMAIN}/api`;
let agent: ChildProcess | undefined;
let metrics = '';
let identityId = '';

/** The standard's own file, as far as this test asks. */
const proto = protobuf.parse(`syntax = "proto3";
message Empty {}
message X509SVIDResponse { repeated X509SVID svids = 1; repeated bytes crl = 2; map<string, bytes> federated_bundles = 3; }
message X509SVID { string spiffe_id = 1; bytes x509_svid = 2; bytes x509_svid_key = 3; bytes bundle = 4; string hint = 5; }
message X509BundlesResponse { repeated bytes crl = 1; map<string, bytes> bundles = 2; }
message JWTSVIDRequest { repeated string audience = 1; string spiffe_id = 2; }
message JWTSVIDResponse { repeated JWTSVID svids = 1; }
message JWTSVID { string spiffe_id = 1; string svid = 2; string hint = 3; }
message JWTBundlesResponse { map<string, bytes> bundles = 1; }
message ValidateJWTSVIDRequest { string audience = 1; string svid = 2; }
message ValidateJWTSVIDResponse { string spiffe_id = 1; }`).root;

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A command line in a process of its own. */
function skep(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Said> {
  return new Promise((resolve) => {
    const child = execFile(launcher, words, { env: { ...process.env, ...env } }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    );
  });
}

const asOperator = () => ({
  SKEP_VAULT_URL: vault.url,
  SKEP_VAULT_CA: vault.path('ca.pem'),
  SKEP_OPERATOR_CERT: vault.path('operator.pem'),
  SKEP_OPERATOR_KEY: vault.path('operator.key'),
});

async function startAgent(at: readonly string[]): Promise<{ child: ChildProcess; metrics: string }> {
  const child = spawn(launcher, ['agent', 'run', ...at, '--metrics', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const scraped = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the agent ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = JSON.parse(line) as { msg: string; metrics?: string };
      if (entry.msg === 'serving') resolve(entry.metrics!);
    });
  });
  return { child, metrics: scraped };
}

/** Joins as a node of this name. */
async function join(name: string, at: readonly string[]): Promise<void> {
  const order = ['vault', 'node-token', 'issue', '--scope', SCOPE, '--ttl', '10m'];
  const token = await skep(order, asOperator());
  expect(token.out, token.err).toMatch(/^hj_v1_/);
  const init = ['agent', 'init', ...at, '--ca', vault.path('ca.pem'), '--name', name, '--vault', vault.url];
  const joined = await skep(init, { SKEP_JOIN_TOKEN: token.out.trim() });
  expect(joined.code, joined.err).toBe(0);
  expect(joined.out).toContain(name);
}

beforeAll(async () => {
  await vault.start();
  await join('node-a', place);
  const register = [
    'vault',
    'identity',
    'register',
    API,
    '--uid',
    String(process.getuid!()),
    '--path',
    process.execPath,
    '--node',
    'node-a',
  ];
  const made = await skep([...register, '-o', 'json', '--ttl', '10m'], asOperator());
  expect(made.code, made.err).toBe(0);
  identityId = (JSON.parse(made.out) as { id: string }).id;
  ({ child: agent, metrics } = await startAgent(place));
}, 60_000);

afterAll(async () => {
  agent?.kill('SIGTERM');
  await vault.end();
  vault.close();
});

const meta = (): Metadata => {
  const given = new Metadata();
  given.set('workload.spiffe.io', 'true');
  return given;
};

const typeOf = (name: string) => proto.lookupType(name);
const encode = (name: string) => (value: object) =>
  Buffer.from(typeOf(name).encode(typeOf(name).fromObject(value)).finish());
const decode = (name: string) => (bytes: Buffer) =>
  typeOf(name).toObject(typeOf(name).decode(bytes), { defaults: true }) as never;

function client(): Client {
  return new Client(`unix:${socket}`, credentials.createInsecure());
}

/** The first message of a stream, or its error. */
function first<T>(method: string, reply: string, given = meta()): Promise<T> {
  const by = client();
  const stream = by.makeServerStreamRequest(
    `/SpiffeWorkloadAPI/${method}`,
    encode('Empty'),
    decode(reply),
    {},
    given,
  ) as ClientReadableStream<T>;
  return new Promise<T>((resolve, reject) => {
    stream.on('data', (message: T) => {
      resolve(message);
      stream.cancel();
    });
    stream.on('error', reject);
  }).finally(() => by.close());
}

function unary<T>(method: string, request: string, reply: string, value: object): Promise<T> {
  const by = client();
  return new Promise<T>((resolve, reject) => {
    const done = (error: ServiceError | null, message?: T): void =>
      error === null ? resolve(message!) : reject(error);
    by.makeUnaryRequest(`/SpiffeWorkloadAPI/${method}`, encode(request), decode(reply), value, meta(), done);
  }).finally(() => by.close());
}

interface X509Svids {
  readonly svids: readonly { spiffeId: string; x509Svid: Buffer; x509SvidKey: Buffer; bundle: Buffer }[];
  readonly crl: readonly Buffer[];
}

test('FetchX509SVID of grpc-js: a certificate with its key, that the bundle verifies, and the list', async () => {
  const { svids, crl } = await first<X509Svids>('FetchX509SVID', 'X509SVIDResponse');
  expect(svids.map(({ spiffeId }) => spiffeId)).toEqual([API]);
  const [svid] = svids;
  const certificate = new X509Certificate(svid!.x509Svid);
  const bundle = new X509Certificate(svid!.bundle);
  expect(certificate.subjectAltName).toBe(`URI:${API}`);
  expect(certificate.verify(bundle.publicKey)).toBe(true);
  const key = createPrivateKey({ key: svid!.x509SvidKey, format: 'der', type: 'pkcs8' });
  expect(certificate.checkPrivateKey(key)).toBe(true);
  expect(certificate.publicKey.equals(createPublicKey(key))).toBe(true);
  expect(crl).toHaveLength(1);
});

test('JWT-SVIDs: fetched, verified by jose with the bundle, and by the agent', async () => {
  const { svids } = await unary<{ svids: { svid: string }[] }>('FetchJWTSVID', 'JWTSVIDRequest', 'JWTSVIDResponse', {
    audience: ['db'],
  });
  const { bundles } = await first<{ bundles: Record<string, Buffer> }>('FetchJWTBundles', 'JWTBundlesResponse');
  const set = JSON.parse(Buffer.from(bundles[`spiffe://${TRUST_DOMAIN}`]!).toString()) as JSONWebKeySet;
  const { payload } = await jwtVerify(svids[0]!.svid, createLocalJWKSet(set), { audience: 'db' });
  expect(payload.sub).toBe(API);
  const ask = (audience: string) =>
    unary<{ spiffeId: string }>('ValidateJWTSVID', 'ValidateJWTSVIDRequest', 'ValidateJWTSVIDResponse', {
      audience,
      svid: svids[0]!.svid,
    });
  expect(await ask('db')).toMatchObject({ spiffeId: API });
  await expect(ask('queue')).rejects.toMatchObject({ code: 3 });
  await expect(unary('FetchJWTSVID', 'JWTSVIDRequest', 'JWTSVIDResponse', { audience: [] })).rejects.toMatchObject({
    code: 3,
  });
});

test('bundles of the trust domain; no security header, no such method', async () => {
  const { bundles } = await first<{ bundles: Record<string, Buffer> }>('FetchX509Bundles', 'X509BundlesResponse');
  expect(new X509Certificate(bundles[`spiffe://${TRUST_DOMAIN}`]!).ca).toBe(true);
  await expect(first('FetchX509SVID', 'X509SVIDResponse', new Metadata())).rejects.toMatchObject({ code: 3 });
  await expect(first('Nothing', 'X509SVIDResponse')).rejects.toMatchObject({ code: 12 });
});

test('developer verbs go through the agent as the process that asks: one without an identity gets nothing', async () => {
  const env = { SKEP_AGENT_SOCKET: socket };
  const refused = await skep(['vault', 'jwt', '--audience', 'db'], env);
  // The command line runs under the project's Node, as this test does: it is attested, and no policy lets it.
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('vault.forbidden');
});

test('the calling shell is attested: one that is registered by its path gets its identity, another program none', async () => {
  const bash = realpathSync('/bin/bash');
  const register = [
    'vault',
    'identity',
    'register',
    `spiffe://${TRUST_DOMAIN}/dev/ada`,
    '--path',
    bash,
    '--scope',
    SCOPE,
  ];
  const made = await skep([...register, '--uid', String(process.getuid!())], asOperator());
  expect(made.code, made.err).toBe(0);
  const verb = `${launcher} vault jwt --audience db`;
  const env = { ...process.env, SKEP_AGENT_SOCKET: socket };
  const denied = (): string | undefined =>
    vault
      .logged()
      .split('\n')
      .findLast((line) => line.includes('policy.deny'));
  const ask = (program: string, words: readonly string[]) =>
    new Promise<string>((resolve) => {
      execFile(program, words, { env }, (_error, out, err) => resolve(out + err));
    });
  // The identity of the shell is asked about, not that of the Node under which this test and the command line run.
  await expect
    .poll(async () => ask(bash, ['-c', `${verb}; true`]), { timeout: 20_000 })
    .toContain('no policy allows issue on jwt/db');
  expect(denied()).toContain(`spiffe://${TRUST_DOMAIN}/dev/ada`);
  // Perl is no login shell: a command line that it starts is attested as itself.
  await ask('perl', ['-e', `system(split / /, "${verb}"); exit 0`]);
  expect(denied()).toContain(API);
}, 40_000);

test('a path that leaves /secret by dot segments is not forwarded', async () => {
  const session = connectHttp2('http://agent', { createConnection: () => connectSocket(socket) });
  const statusOf = (path: string) =>
    new Promise<number>((resolve, reject) => {
      const stream = session.request({ ':method': 'GET', ':path': path });
      stream.on('response', (headers) => resolve(Number(headers[':status'])));
      stream.on('error', reject);
      stream.resume();
    });
  for (const path of ['/secret/../nodes', '/secret/%2e%2e/nodes', '/secret/x/../../workload/identities', '/nodes'])
    expect(await statusOf(path), path).toBe(404);
  expect(await statusOf('/secret/x')).toBe(403); // forwarded, and refused by the vault's policies
  session.close();
});

test('status, doctor and metrics say that all is well, and show no secret', async () => {
  const status = await skep(['agent', 'status', ...place, '-o', 'json']);
  expect(JSON.parse(status.out)).toMatchObject({ healthy: true, name: 'node-a' });
  const doctor = await skep(['agent', 'doctor', ...place, '-o', 'json']);
  const findings = JSON.parse(doctor.out) as { check: string; ok: boolean }[];
  expect(findings.filter(({ ok, check }) => !ok && check !== 'privilege')).toEqual([]);
  const text = await (await fetch(metrics)).text();
  expect(text).toMatch(/skep_agent_identity_expires_seconds 86\d\d\d/);
  expect(text).toMatch(/skep_agent_attestations_total\{outcome="matched"\} [1-9]/);
  expect(text).toContain('skep_agent_vault_up 1');
  const { refresh_token } = JSON.parse(readFileSync(`${dir}/identity.json`, 'utf8')) as { refresh_token: string };
  for (const said of [status.out, doctor.out, text]) expect(said).not.toContain(refresh_token.slice(-43));
  expect(statSync(`${dir}/identity.json`).mode & 0o777).toBe(0o600);
});

test('while the vault is away SVIDs go on counting; what was never fetched is unavailable', async () => {
  const before = await first<X509Svids>('FetchX509SVID', 'X509SVIDResponse');
  await vault.end('SIGKILL');
  const during = await first<X509Svids>('FetchX509SVID', 'X509SVIDResponse');
  expect(during.svids[0]!.x509Svid.equals(before.svids[0]!.x509Svid)).toBe(true);
  await expect(unary('FetchJWTSVID', 'JWTSVIDRequest', 'JWTSVIDResponse', { audience: ['new'] })).rejects.toMatchObject(
    { code: 14 },
  );
  await vault.start();
  await unary('FetchJWTSVID', 'JWTSVIDRequest', 'JWTSVIDResponse', { audience: ['new'] });
}, 60_000);

test('an identity that is revoked ends the open stream of its workload', async () => {
  const by = client();
  const stream = by.makeServerStreamRequest(
    '/SpiffeWorkloadAPI/FetchX509SVID',
    encode('Empty'),
    decode('X509SVIDResponse'),
    {},
    meta(),
  );
  const [got, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<ServiceError>()];
  stream.on('data', () => got.resolve());
  stream.on('error', (error: ServiceError) => ended.resolve(error));
  await got.promise;
  expect((await skep(['vault', 'identity', 'revoke', identityId], asOperator())).code).toBe(0);
  expect(await ended.promise).toMatchObject({ code: 7, details: 'no identity issued' });
  by.close();
}, 30_000);

test('a node that was sent away is unhealthy, and says why in status and metrics', async () => {
  const [dirB, socketB] = [vault.path('agent-b'), vault.path('agent-b.sock')];
  const placeB = ['--dir', dirB, '--socket', socketB];
  await join('node-b', placeB);
  const second = await startAgent(placeB);
  const status = async () => JSON.parse((await skep(['agent', 'status', ...placeB, '-o', 'json'])).out) as object;
  expect(await status()).toMatchObject({ healthy: true });
  const { node_id } = JSON.parse(readFileSync(`${dirB}/identity.json`, 'utf8')) as { node_id: string };
  expect((await vault.call('POST', `/nodes/${node_id}/evict`, { reason: 'lost' })).status).toBe(200);
  await expect.poll(status, { timeout: 20_000 }).toMatchObject({
    healthy: false,
    reasons: [expect.stringContaining('the vault refuses this node')],
  });
  const text = await (await fetch(second.metrics)).text();
  expect(text).toContain('skep_agent_healthy 0');
  expect(text).toContain('skep_agent_refused 1');
  expect(text).toContain('skep_agent_vault_up 0');
  second.child.kill('SIGTERM');
}, 40_000);

test('install prints a unit; uninstall leaves the vault and forgets everything', async () => {
  const unit = await skep(['agent', 'install', '--print', ...place]);
  expect(unit.out).toContain(`agent run --dir ${dir} --socket ${socket}`);
  const units = vault.path('units');
  const written = await skep(['agent', 'install', '--unit-dir', units, ...place]);
  expect(written.out).toBe(`${units}/skep-agent.service\n`);
  expect((await skep(['agent', 'upgrade', '--unit-dir', units, ...place])).out).toContain(
    'state version 1, unit written',
  );
  const { node_id } = JSON.parse(readFileSync(`${dir}/identity.json`, 'utf8')) as { node_id: string };
  expect(await skep(['agent', 'uninstall', '--unit-dir', units, ...place])).toMatchObject({
    code: 0,
    out: 'uninstalled\n',
  });
  expect((await skep(['agent', 'status', ...place])).code).toBe(1);
  const { nodes } = (await vault.call('GET', '/nodes')).json as {
    nodes: { id: string; state: string; reason: string }[];
  };
  expect(nodes.find(({ id }) => id === node_id)).toMatchObject({ state: 'evicted', reason: 'decommissioned' });
}, 30_000);
