/** The vault and an agent as two processes, a workload that speaks gRPC to it. Contract: operations.md "Vault" (agent commands), decisions.md "Vault" (agent). */
import { Client, Metadata, credentials } from '@grpc/grpc-js';
import type { ClientReadableStream, ServiceError } from '@grpc/grpc-js';
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { X509Certificate, createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HiveVault, TRUST_DOMAIN } from '#test/kit/hive-vault.ts';

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));
const vault = new HiveVault();
const dir = vault.path('agent');
const socket = vault.path('agent.sock');
const place = ['--dir', dir, '--socket', socket];
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

async function startAgent(): Promise<void> {
  const child = spawn(launcher, ['agent', 'run', ...place, '--metrics', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  agent = child;
  metrics = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the agent ended with ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = JSON.parse(line) as { msg: string; metrics?: string };
      if (entry.msg === 'serving') resolve(entry.metrics!);
    });
  });
}

beforeAll(async () => {
  await vault.start();
  const token = await skep(
    ['vault', 'node-token', 'issue', '--scope', 'dc=dc1,cluster=main', '--ttl', '10m'],
    asOperator(),
  );
  expect(token.out, token.err).toMatch(/^hj_v1_/);
  const init = ['agent', 'init', ...place, '--ca', vault.path('ca.pem'), '--name', 'node-a', '--vault', vault.url];
  const joined = await skep(init, { SKEP_JOIN_TOKEN: token.out.trim() });
  expect(joined.code, joined.err).toBe(0);
  expect(joined.out).toContain('node-a');
  const register = [
    'vault',
    'identity',
    'register',
    API,
    '--uid',
    String(process.getuid!()),
    '--path',
    process.execPath,
  ];
  const made = await skep([...register, '-o', 'json', '--ttl', '10m'], asOperator());
  expect(made.code, made.err).toBe(0);
  identityId = (JSON.parse(made.out) as { id: string }).id;
  await startAgent();
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
