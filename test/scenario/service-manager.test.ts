/** A node under a service manager: told when it serves and when it drains, its secrets from credentials. Spec: docs/contract/platform.md §1.1, §2.2. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listenAt } from '#test/kit/datagram-socket.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';

test('READY=1 comes when every listener answers, STOPPING=1 with SIGTERM; ${NAME} reads a credential', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-notify-'));
  const credentials = join(dir, 'credentials');
  mkdirSync(credentials);
  writeFileSync(join(credentials, 'BOOTSTRAP'), 'the-token-of-the-credential\n');
  const file = writePlatformFile(dir);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^bootstrap: .*$/m, 'bootstrap: { token: "${BOOTSTRAP}" }'));
  const socket = await listenAt(join(dir, 'notify'));
  onTestFinished(() => {
    socket.close();
    rmSync(dir, { recursive: true });
  });
  const env = { NOTIFY_SOCKET: join(dir, 'notify'), WATCHDOG_USEC: '200000', CREDENTIALS_DIRECTORY: credentials };
  const node = await startProcess(file, env);
  const told: string[] = [];
  await expect.poll(() => told.push(...socket.read()) && told).toContain('WATCHDOG=1');
  expect(told[0]).toBe('READY=1\nSTATUS=serving 0 tenants');
  expect((await fetch(`${node.listeners['operations']}/readyz`)).status).toBe(200);
  socket.read();
  expect(await node.end('SIGTERM')).toBe(0);
  expect(socket.read().filter((text) => text !== 'WATCHDOG=1')).toEqual(['STOPPING=1']);
});
