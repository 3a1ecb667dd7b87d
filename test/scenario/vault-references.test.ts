/** What the node's other services take from its vault: `vault:<name>` in the platform file, and audit's signing keys (docs/contract/platform.md §2.2). */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { REFERENCE_NAME } from '#config/reference-name.ts';
import { referencesOf } from '#config/references.ts';
import { isName } from '#actors/vault/caller/scope.ts';
import { startNode, type Node } from '#runtime/node.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { call } from '#test/kit/test-node.ts';
import { callVault } from '#test/kit/vault-process.ts';

const dir = mkdtempSync(join(tmpdir(), 'skep-vault-references-'));
const SECRET = 'hunter2-gateway';
let node: Node | null = null;

afterAll(async () => {
  await node?.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function start(more: string): Promise<Node> {
  const base = await freePortBase();
  const file = join(dir, 'platform.yaml');
  const vault = `vault: { enabled: true, profile: development, port: ${base + 7} }`;
  const quiet = `listeners: { operations: false }\ngateway: { bind: "127.0.0.1:0" }\nlog: { level: error }`;
  writeFileSync(file, `storage: { dir: ./data }\nhosts: 1\n${vault}\n${quiet}\n${more}`);
  node = await startNode(platformOf(file));
  return node;
}

const intake = (secret: string) =>
  `audit: { enabled: true }\nintake: { http: { bind: "127.0.0.1:0" }, security: { gateway_secret: "${secret}" } }\n`;

test('a start that needs a secret which is not there is refused by name, and mended by putting it', async () => {
  await expect(start(intake('vault:intake/gateway'))).rejects.toThrow('vault:intake/gateway is not in the vault');
  const first = await start('audit: { enabled: true }\nintake: { http: { bind: "127.0.0.1:0" } }\n');
  const put = await callVault(`${first.listeners['vault']}/secret/intake%2Fgateway`, null, 'PUT', { value: SECRET });
  expect(put.status).toBe(201);
  await first.stop();
  const second = await start(intake('vault:intake/gateway'));
  const submit = (headers: Record<string, string>) => call(second.listeners['intake']!, 'POST', '/f/none', headers, {});
  expect((await submit({})).status).toBe(403);
  expect((await submit({ 'X-Edge-Gateway-Secret': 'vault:intake/gateway' })).status).toBe(403);
  expect((await submit({ 'X-Edge-Gateway-Secret': SECRET })).status).toBe(404);
}, 60_000);

test('audit signs with keys of the vault: none lies in a file', async () => {
  const { listeners } = node!;
  await callVault(`${listeners['vault']}/secret/a`, null, 'GET');
  const log = join(dir, 'data/audit/logs/vault/dc1/main/_cluster/checkpoint');
  await expect.poll(() => existsSync(log), { timeout: 15_000 }).toBe(true);
  expect(readFileSync(log, 'utf8')).toContain('vault/dc1/main/_cluster');
  const keys = join(dir, 'data/audit/keys');
  expect(existsSync(keys) ? readdirSync(keys) : []).toEqual([]);
  const names = await callVault(`${listeners['vault']}/secret?prefix=audit/`, null, 'GET');
  expect(names.json).toMatchObject({ names: expect.arrayContaining(['audit/vault/dc1/main/_cluster/signing-key']) });
}, 30_000);

test('references are found where secrets may stand only, and names are those of secrets', () => {
  const file = join(dir, 'other.yaml');
  writeFileSync(
    file,
    `vault: { enabled: true, profile: development }\nbootstrap: { token: "vault:a/b" }\ncontent: { contentsource: { type: inline }, contentapps: [{ name: news, contenttypes: [], preview: { secret: "vault:c" }, webhooks: [{ name: w, url: "https://w.test", events: [AfterContentCreateSuccess], secret: "vault:d" }] }] }\nlog: { level: error }\n`,
  );
  expect(referencesOf(platformOf(file)).toSorted()).toEqual(['a/b', 'c', 'd']);
  for (const name of ['a', 'a/b', 'A-_.9', '', '/', 'a/', 'a//b', 'a b', 'ä'])
    expect([name, REFERENCE_NAME.test(name)]).toEqual([name, isName(name)]);
});
