/** `skep vault …` as people use it: pipes, a terminal, another working directory. Contract: docs/contract/vault.md §8. */
import { spawn } from 'node:child_process';
import { X509Certificate, createPrivateKey, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePortBase } from '#test/kit/free-port.ts';
import { VaultProcess, callVault, type ServedVault } from '#test/kit/vault-process.ts';

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));
const vault = new VaultProcess();
let served: ServedVault;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  vault.open();
  const ada = vault.identity('operator/ada');
  served = await vault.serve();
  env = {
    ...process.env,
    SKEP_VAULT_URL: served.url,
    SKEP_VAULT_CA: join(vault.dir, 'server-ca.pem'),
    SKEP_OPERATOR_CERT: ada.cert,
    SKEP_OPERATOR_KEY: ada.key,
  };
}, 60_000);

afterAll(async () => {
  await served.end('SIGTERM');
  vault.close();
});

interface Ran {
  readonly code: number | null;
  readonly out: Buffer;
  readonly err: string;
}

/** A process with something on its standard input, at once or when it has said `prompt`. */
function run(program: string, words: readonly string[], input: Uint8Array | string = '', prompt = ''): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { env, stdio: 'pipe' });
    const out: Buffer[] = [];
    let err = '';
    child.stdout.on('data', (part: Buffer) => {
      out.push(part);
      if (prompt !== '' && !child.stdin.writableEnded && Buffer.concat(out).includes(prompt)) child.stdin.end(input);
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
    child.on('close', (code) => resolve({ code, out: Buffer.concat(out), err }));
    if (prompt === '') child.stdin.end(input);
  });
}

const skep = (words: string, input: Uint8Array | string = '') => run(launcher, words.split(' '), input);

test('bytes in, bytes out: binary, text with and without a last line feed, nothing at all', async () => {
  const values = [
    randomBytes(3000),
    Buffer.from('one\n'),
    Buffer.from('one'),
    Buffer.from('a\r\n\n'),
    Buffer.from([0xff]),
  ];
  for (const [at, value] of values.entries()) {
    expect((await skep(`vault put bytes/${at}`, value)).code).toBe(0);
    const { code, out, err } = await skep(`vault get bytes/${at}`);
    expect([code, err]).toEqual([0, '']);
    expect(out.equals(value), JSON.stringify(value.toString('latin1').slice(0, 20))).toBe(true);
  }
  expect((await skep('vault put bytes/told', 'x\n')).err).toContain('ends with a line feed');
}, 60_000);

test('-o json of list and exists', async () => {
  await skep('vault put json/a', 'x');
  await skep('vault put json/b', 'x');
  expect(JSON.parse((await skep('vault list json/ -o json')).out.toString())).toEqual(['json/a', 'json/b']);
  const there = await skep('vault exists json/a -o json');
  expect([there.code, JSON.parse(there.out.toString())]).toEqual([0, { name: 'json/a', exists: true, version: 1 }]);
  const absent = await skep('vault exists json/c -o json');
  expect([absent.code, JSON.parse(absent.out.toString())]).toEqual([
    1,
    { name: 'json/c', exists: false, version: null },
  ]);
}, 30_000);

/** `script` of util-linux gives the verb a terminal, and shows what a person would see. */
const onTerminal = (words: string, typed: string): Promise<Ran> =>
  run('script', ['-qec', `${launcher} ${words}`, '/dev/null'], typed, '(not shown)');

test('what is typed at a terminal is not shown: a value, a share', async () => {
  const put = await onTerminal('vault put typed', 'hunterX\u007f2é\u007f!\r');
  expect(put.out.toString()).toContain('value (not shown)');
  expect(put.out.toString()).not.toContain('hunter');
  expect((await skep('vault get typed')).out.toString()).toBe('hunter2!');
  const share = await onTerminal('vault unseal', 'notashare\r');
  expect(share.out.toString()).toContain('share (not shown)');
  expect(share.out.toString()).not.toContain('notashare');
}, 30_000);

test('a vault that is served from another directory lies beside its file, and one that lies elsewhere is not passed over', async () => {
  const home = mkdtempSync(join(tmpdir(), 'skep-vault-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const [beside, elsewhere] = [join(home, 'etc'), join(home, 'work')];
  for (const directory of [beside, elsewhere]) mkdirSync(directory);
  const file = join(beside, 'vault.yaml');
  writeFileSync(file, 'profile: development\n');
  const base = await freePortBase();
  const serve = async (): Promise<{ err: string; end: () => Promise<void> }> => {
    const child = spawn(launcher, ['vault', 'server', '-f', '../etc/vault.yaml', '-l', 'info'], {
      cwd: elsewhere,
      env: { ...process.env, SKEP_PORT_BASE: String(base) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
    await new Promise<void>((resolve) => {
      void ended.then(resolve);
      child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        out += part;
        if (out.includes('"msg":"serving"')) resolve();
      });
    });
    return {
      err,
      end: () => {
        child.kill('SIGTERM');
        return ended;
      },
    };
  };
  const first = await serve();
  // A page whose name was pointed at this machine, or one of another site, is not its developer.
  const url = `http://127.0.0.1:${base + 7}/secret`;
  const statusOf = async (headers: Record<string, string>) =>
    (await callVault(url, null, 'GET', undefined, headers)).status;
  expect(await statusOf({})).toBe(200);
  expect(await statusOf({ Host: `localhost:${base + 7}`, Origin: 'http://localhost:3000' })).toBe(200);
  expect(await statusOf({ Host: 'evil.com' })).toBe(401);
  expect(await statusOf({ Origin: 'https://evil.com' })).toBe(401);
  await first.end();
  expect(existsSync(join(beside, '.skep/vault/store'))).toBe(true);
  expect(existsSync(join(elsewhere, '.skep'))).toBe(false);
  // As an earlier version left it.
  renameSync(join(beside, '.skep'), join(elsewhere, '.skep'));
  const second = await serve();
  await second.end();
  expect(second.err).toContain('holds a vault, but this file’s vault lies in');
  expect(existsSync(join(beside, '.skep'))).toBe(false);
}, 60_000);

test('certificates, nodes, join tokens, versions and keys of tenants have verbs', async () => {
  const json = async (words: string): Promise<never> => {
    const { code, out, err } = await skep(`${words} -o json`);
    expect(code, err).toBe(0);
    return JSON.parse(out.toString()) as never;
  };
  const keyFile = join(vault.dir, 'api-key.pem');
  const issued = await skep(`vault certificate issue --common-name api --dns api.test --key-out ${keyFile}`);
  expect(issued.code, issued.err).toBe(0);
  const certificate = new X509Certificate(issued.out);
  expect(certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile)))).toBe(true);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect((await skep(`vault certificate issue --common-name b --key-out ${keyFile}`)).code).toBe(2); // nothing is written over
  const { serialNumber } = certificate;
  expect(await json('vault certificate list --days 91')).toMatchObject([{ serial: serialNumber, state: 'valid' }]);
  expect(await json('vault certificate list --days 1')).toEqual([]);
  expect(await json(`vault certificate revoke ${serialNumber} --reason superseded`)).toMatchObject({
    state: 'revoked',
  });
  expect(await json(`vault certificate show ${serialNumber}`)).toMatchObject({
    state: 'revoked',
    reason: 'superseded',
  });
  expect((await skep('vault node-token issue --scope dc=dc1,cluster=main')).code).toBe(0);
  const [token] = (await json('vault node-token list')) as unknown as { id: string }[];
  expect(await json(`vault node-token remove ${token!.id}`)).toMatchObject({ removed: true });
  expect(await json('vault node list')).toEqual([]);
  expect((await skep('vault node evict absent')).err).toContain('vault.node_not_found');
  for (const value of ['one', 'two']) await skep('vault put many', value);
  expect(await json('vault versions many')).toMatchObject({
    latest: 2,
    versions: [{ version: 2, state: 'active' }, { version: 1 }],
  });
  expect((await skep('vault versions many')).out.toString()).toMatch(/VERSION +STATE/);
  expect(await json('vault tenant-key rotate --tenant acme:shop:dev:main')).toMatchObject({
    tenant: 'acme:shop:dev:main',
  });
}, 60_000);

test('what the help says of operators’ certificates makes one that the vault takes', async () => {
  const help = (await skep('vault --help')).out.toString();
  const recipe = help.split('\n').filter((line) => line.startsWith('  openssl '));
  expect(recipe).toHaveLength(3);
  const own = new VaultProcess();
  onTestFinished(() => own.close());
  own.open();
  const script = recipe.join('\n').replaceAll('skep.internal', 'vault.test');
  const made = await run('sh', ['-ec', `cd ${own.dir}\n${script}\nmv operators-ca.pem operator-ca.pem`]);
  expect(made.code, made.err).toBe(0);
  const taking = await own.serve();
  onTestFinished(async () => void (await taking.end('SIGTERM')));
  const ada = { cert: join(own.dir, 'ada.pem'), key: join(own.dir, 'ada-key.pem') };
  expect((await taking.call(ada, 'GET', '/status')).status).toBe(200);
}, 60_000);
