/** `skep identity -f <file>`: the service by itself. Spec: docs/contract/identity.md §10.1, docs/contract/platform.md §1.1. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { call, positionHeaders } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

/** A platform file whose own listeners are as given. */
function fileWith(listeners: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-alone-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = writePlatformFile(dir);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/^listeners:\n(?: {2}.*\n)+/m, `listeners:\n${listeners}`));
  return file;
}

test('skep identity -f serves identity on its own address, and nothing else', { timeout: 60_000 }, async () => {
  const base = await freePortBase();
  const file = fileWith('  operations: true\n  identity: false\n  data: true\n');
  const node = await startProcess(file, { SKEP_PORT_BASE: String(base) }, [], ['identity']);
  onTestFinished(async () => void (await node.end('SIGTERM')));
  const own = `http://127.0.0.1:${base + 2}`;
  expect(node.listeners).toEqual({ operations: `http://127.0.0.1:${base + 1}`, identity: own });
  const here = positionHeaders(TENANT);
  const issued = await call(own, 'POST', '/auth/apikey', { ...here, Authorization: 'ApiKey x' });
  // Its tenants are not provisioned here: what answers is identity, in its own words.
  expect([issued.status, issued.json]).toMatchObject([500, { code: 'engine_unavailable' }]);
  expect((await call(own, 'GET', '/.well-known/jwks.json')).status).toBe(200);
  for (const path of ['/data/rest/item', '/f/contact', '/health', '/ready', '/readyz'])
    expect((await call(own, 'GET', path, here)).status, path).toBe(404);
  expect((await call(node.listeners['operations']!, 'GET', '/readyz')).text).toBe('ready:true');
  expect(await node.end('SIGTERM')).toBe(0);
});

test('without a file the group explains itself; a word that is no verb starts nothing', async () => {
  expect(await skep('identity')).toMatchObject({ code: 2, out: '' });
  const { code, err } = await skep('identity serv -f nowhere.yaml');
  expect([code, err]).toEqual([2, expect.stringContaining('unknown command "serv"')]);
});
