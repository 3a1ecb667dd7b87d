/** The keys that sign tokens in the vault: `identity.keyring: vault:<place>`. Contract: docs/contract/identity.md §3.3. */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadPlatformText } from '#config/load.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { startNode } from '#runtime/node.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { startTestNode, type TestNode } from '#test/kit/test-node.ts';
import { callVault } from '#test/kit/vault-process.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-vault-keyring-'));
let it: TestNode | null = null;

afterAll(async () => {
  await it?.stop();
  rmSync(dir, { recursive: true, force: true });
});

interface Key {
  readonly kid: string;
  readonly private_pem: string;
  readonly vault?: string;
}

const vaultOn = async (): Promise<string> =>
  `vault: { enabled: true, profile: development, port: ${(await freePortBase()) + 7} }\n`;
const KEYRING = 'identity: { keyring: "vault:identity/ring" }\n';
const start = async (extra: string): Promise<TestNode> => (it = await startTestNode({ dir, extra }));
const ring = async (): Promise<Key[]> =>
  ((await it!.node.ask(CONTROL_PLANE, 'identity', 'control.read', null)) as { ring: Key[] }).ring;
const read = async (headers: Record<string, string>): Promise<number> =>
  (await it!.call('GET', '/data/rest/item', headers)).status;
const kids = async (): Promise<string[]> =>
  ((await it!.call('GET', '/.well-known/jwks.json')).json as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);

/** Every file below a directory, as latin1. */
function everything(path: string): string {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'latin1')).join('\n');
}

test('a ring that moves into the vault: a new key signs there, tokens of the old one count until they expire', async () => {
  await start('');
  const old = await it!.service();
  const [before] = await ring();
  expect(before!.private_pem).toContain('PRIVATE KEY');
  await it!.node.stop();
  await start((await vaultOn()) + KEYRING);
  const keys = await ring();
  expect(keys).toHaveLength(2);
  const moved = keys.find(({ kid }) => kid !== before!.kid)!;
  expect(moved).toMatchObject({ private_pem: '', vault: expect.stringMatching(/^identity\/ring\/[0-9a-f]+$/) });
  expect(await read(old)).toBe(200);
  const service = await it!.service();
  expect(await read(service)).toBe(200);
  const footer = Buffer.from(service['Authorization']!.split('.')[3]!, 'base64url').toString();
  expect(footer).toContain(moved.kid);
  expect(new Set(await kids())).toEqual(new Set([before!.kid, moved.kid]));
}, 60_000);

test('a rotation makes the next key there; a dead host and a dead keeper change nothing', async () => {
  const before = await it!.service();
  const { kid } = (await it!.node.rotateRing()) as { kid: string };
  expect((await ring()).find((key) => key.kid === kid)).toMatchObject({ private_pem: '' });
  await it!.node.drill.kill('vault-keeper');
  await it!.node.drill.killHost(0);
  await expect.poll(() => read(before), { timeout: 15_000 }).toBe(200);
  await expect.poll(async () => read(await it!.service()), { timeout: 15_000 }).toBe(200);
  const vault = it!.node.listeners['vault']!;
  const ready = async () => (await callVault(`${vault}/ready`, null, 'GET').catch(() => null))?.status;
  await expect.poll(ready, { timeout: 15_000 }).toBe(200);
  const { json } = await callVault(`${vault}/secret?prefix=identity/ring/`, null, 'GET');
  expect((json as { names: string[] }).names).toHaveLength(2);
}, 60_000);

test('a restart signs on with the same key; none of the vault’s keys lies in identity’s store or crosses as bytes', async () => {
  const before = await kids();
  const token = await it!.service();
  await it!.node.stop();
  const shards = everything(join(dir, 'data/shards')) + everything(join(dir, 'data/journal'));
  const keysThere = new Set([...shards.matchAll(/BEGIN PRIVATE KEY-----\n(.+)\n/g)].map(([, text]) => text));
  expect(keysThere.size).toBe(1); // the key of before the move
  await start((await vaultOn()) + KEYRING);
  expect(await kids()).toEqual(before);
  expect(await read(token)).toBe(200);
}, 60_000);

test('a start whose key is gone is refused by its name, and so is one without the vault', async () => {
  const vault = it!.node.listeners['vault']!;
  const [newest] = (await ring()).filter((key) => key.vault !== undefined);
  const gone = `${vault}/secret/${encodeURIComponent(newest!.vault!)}?destroy=true`;
  expect((await callVault(gone, null, 'DELETE')).status).toBeLessThan(300);
  await it!.node.stop();
  it = null;
  const again = async (extra: string) => {
    const node = await startNode(platformOf(writePlatformFile(dir, { extra })));
    await node.stop();
  };
  await expect(again((await vaultOn()) + KEYRING)).rejects.toThrow(`vault:${newest!.vault}`);
  await expect(again('')).rejects.toThrow('this node has no vault');
}, 60_000);

test.each([
  ['identity: { keyring: "ring" }', 'identity.keyring'],
  ['identity: { keyring: "vault:identity/ring" }', 'there is no vault in this file'],
  [
    'vault: { enabled: true, seal: { kind: shamir } }\nidentity: { keyring: "vault:a" }',
    'a vault sealed with shares is not open when the node starts',
  ],
])('%s is refused', (text, why) => {
  const loaded = loadPlatformText(text, 'platform.yaml', { env: {} });
  expect(JSON.stringify('problems' in loaded ? loaded.problems : [])).toContain(why);
});
