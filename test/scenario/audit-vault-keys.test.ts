/**
 * `skep audit` with `vault.url`: its signing keys lie in a vault of another process. Contract:
 * docs/contract/audit.md §1 (a key fetched from the vault), §3 (`vault.url`), §4.1 (outbound HTTPS to the vault).
 */
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuditProcess, type ServedAudit } from '#test/kit/audit-process.ts';
import { VaultProcess, type Identity, type ServedVault } from '#test/kit/vault-process.ts';
import { fileOf, skep } from '#test/runtime/cli/recorder.ts';

const LOG = 'tenant/acme/shop/dev/main';
const PLACE = `audit/${LOG}/signing-key`;
const vault = new VaultProcess();
const audit = new AuditProcess();
const POLICIES = `policies:
  - { subject: 'operator/*', path: '**', capabilities: [read, write, delete, exists, list, issue, revoke, verify, admin] }
  - { subject: 'operator/warden', path: 'secret/_node/audit/**', capabilities: [read] }
  - { subject: 'spiffe://vault.test/service/audit', path: 'secret/_node/audit/**', capabilities: [read, write] }
`;
let serving: ServedVault;
let auditing: ServedAudit;
let ada: Identity;
let warden: Identity;

/** A certificate of the vault's own authority, as an operator orders it for a service. */
async function serviceBadge(name: string): Promise<void> {
  const wish = { common_name: name, uri: [`spiffe://vault.test/service/${name}`] };
  const made = await serving.call(ada, 'POST', '/certificate/internal', wish);
  expect(made.status, made.text).toBe(201);
  const { certificate, private_key } = made.json as { certificate: string; private_key: string };
  writeFileSync(join(audit.dir, `${name}.pem`), certificate);
  writeFileSync(join(audit.dir, `${name}-key.pem`), private_key);
}

const fileLines = (name: string): string =>
  `vault: { url: "${serving.url}", tls: { ca: ${join(vault.dir, 'server-ca.pem')}, cert: ./${name}.pem, key: ./${name}-key.pem } }`;

const append = (log = LOG) =>
  auditing.call('POST', `/logs/${encodeURIComponent(log)}/records?wait=checkpoint`, audit.service(), { action: 'a.b' });

beforeAll(async () => {
  vault.open();
  vault.policies(POLICIES);
  ada = vault.identity('operator/ada');
  warden = vault.identity('operator/warden');
  serving = await vault.serve();
  await audit.open(fileLines('audit'));
  await serviceBadge('audit');
  await serviceBadge('stranger');
  auditing = await audit.serve();
}, 60_000);

afterAll(async () => {
  await auditing.end('SIGTERM');
  await serving.end('SIGTERM');
  vault.close();
  audit.close();
});

test('the key of a log is made in the vault, and none lies beside the logs', async () => {
  expect(await append()).toMatchObject({ status: 200, json: { index: 0 } });
  expect(existsSync(join(audit.dir, 'keys')) ? readdirSync(join(audit.dir, 'keys'), { recursive: true }) : []).toEqual(
    [],
  );
  const versions = await serving.call(ada, 'GET', `/secret/${encodeURIComponent(PLACE)}/versions`);
  expect(versions).toMatchObject({
    status: 200,
    json: { latest: 1, versions: [{ created_by: 'spiffe://vault.test/service/audit' }] },
  });
  const { public_key } = (await auditing.call('GET', `/logs/${encodeURIComponent(LOG)}`, audit.admin())).json as {
    public_key: string;
  };
  const key = join(audit.dir, 'log.pub.pem');
  writeFileSync(key, public_key);
  expect(await skep(`audit verify ${join(audit.logs, LOG)} --key ${key}`)).toMatchObject({ code: 0 });
});

test('after a restart the log goes on under the same key', async () => {
  await auditing.end('SIGTERM');
  auditing = await audit.serve();
  expect(await append()).toMatchObject({ status: 200, json: { index: 1 } });
  expect(await skep(`audit verify ${join(audit.logs, LOG)} --key ${join(audit.dir, 'log.pub.pem')}`)).toMatchObject({
    code: 0,
  });
});

test('a key in PEM that lies at the path is the log’s', async () => {
  const log = 'tenant/acme/shop/dev/pem';
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const value = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  // An operator may not write there; the service may.
  const badge = { cert: join(audit.dir, 'audit.pem'), key: join(audit.dir, 'audit-key.pem') };
  const path = `/secret/${encodeURIComponent(`audit/${log}/signing-key`)}`;
  expect((await serving.call(ada, 'PUT', path, { value })).status).toBe(403);
  expect((await serving.call(badge, 'PUT', path, { value })).status).toBe(201);
  const { json } = await append(log);
  const { checkpoint } = (json as { proof: { checkpoint: string } }).proof;
  const [text, line] = checkpoint.split('\n\n') as [string, string];
  const signature = Buffer.from(line.trim().split(' ').at(-1)!, 'base64').subarray(4);
  const open = createPublicKey(publicKey.export({ format: 'pem', type: 'spki' }).toString());
  expect(verify(null, Buffer.from(`${text}\n`), open, signature)).toBe(true);
});

test('operators get no signing key by a policy over everything, only by one that names the place; each try is an event', async () => {
  const path = `/secret/${encodeURIComponent(PLACE)}`;
  const said = async (): Promise<string[]> =>
    serving
      .said()
      .split('\n')
      .filter((line) => line.includes(`"secret/_node/${PLACE}"`));
  expect(await serving.call(ada, 'GET', path)).toMatchObject({
    status: 403,
    json: { code: 'vault.forbidden', error: expect.stringContaining('secret/_node/audit/') as string },
  });
  expect((await serving.call(ada, 'PUT', path, { value: 'mine' })).status).toBe(403);
  expect((await serving.call(ada, 'HEAD', path)).status).toBe(200);
  expect((await serving.call(warden, 'GET', path)).status).toBe(200);
  expect((await serving.call(warden, 'PUT', path, { value: 'mine' })).status).toBe(403);
  await expect
    .poll(async () =>
      (await said()).map((line) => /policy\.(?:grant|deny)|secret\.(?:read|write|exists)/.exec(line)?.[0]),
    )
    .toEqual(expect.arrayContaining(['policy.deny', 'policy.grant', 'secret.read']));
});

test('a vault that does not allow it, or is away, is 503 without naming it to callers; the log opens when it does', async () => {
  await auditing.end('SIGTERM');
  const text = readFileSync(audit.file, 'utf8');
  writeFileSync(
    audit.file,
    text.replaceAll('./audit.pem', './stranger.pem').replaceAll('./audit-key.pem', './stranger-key.pem'),
  );
  auditing = await audit.serve();
  const refused = await append();
  expect(refused).toMatchObject({ status: 503, json: { code: 'audit.unavailable' } });
  expect(refused.text).not.toContain(serving.url);
  await auditing.end('SIGTERM');
  writeFileSync(audit.file, text);
  auditing = await audit.serve();
  const seal = await serving.call(ada, 'POST', '/seal');
  expect(seal.status).toBe(200);
  const late = 'tenant/acme/shop/dev/late';
  expect(await append(late)).toMatchObject({ status: 503, json: { code: 'audit.unavailable' } });
  serving.signal('SIGHUP'); // the key of the configuration opens it again
  await expect.poll(async () => (await append(late)).status, { timeout: 15_000 }).toBe(200);
  expect(readdirSync(audit.dir)).not.toContain('keys');
}, 60_000);

test('a log that began with a key file goes on with it', async () => {
  const log = 'tenant/acme/shop/dev/filed';
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const directory = join(audit.dir, 'keys', 'audit', log);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'signing-key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }), {
    mode: 0o600,
  });
  expect((await append(log)).status).toBe(200);
  const told = (
    await auditing.call('GET', `/logs/${encodeURIComponent(log)}`, audit.admin({ tenant: 'acme:shop:dev:filed' }))
  ).json;
  expect((told as { public_key: string }).public_key).toBe(
    publicKey.export({ format: 'pem', type: 'spki' }).toString(),
  );
});

test('a vault without a certificate for it, without TLS, or beside a vault of the node refuses the start', async () => {
  const tls = 'tls: { cert: ./c.pem, key: ./k.pem }';
  const own = await skep(`audit -config ${fileOf(`${tls}\nvault: { url: https://vault.example }\n`)}`);
  expect(own).toMatchObject({ code: 2 });
  expect(own.err).toContain('a vault is asked over TLS, with a certificate');
  const plain = await skep(`audit -config ${fileOf(`${tls}\nvault: { url: "http://vault.example", ${tls} }\n`)}`);
  expect(plain).toMatchObject({ code: 2 });
  const node = `audit: { enabled: true, vault: { url: https://vault.example, ${tls} } }\nvault: { enabled: true, profile: development }\n`;
  const both = await skep(`check -f ${fileOf(node)}`);
  expect(both.out + both.err).toContain('this node has a vault of its own');
});
