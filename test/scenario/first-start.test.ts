/** A node's first minute, before any tenant is provisioned. Contract: docs/contract/identity-users.md §5. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { startNode } from '#runtime/node.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { call, positionHeaders } from '#test/kit/test-node.ts';

test('the superadmin of a fresh node can log in: a key that signs tokens is there from the first start', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-first-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const node = await startNode(platformOf(writePlatformFile(dir)));
  onTestFinished(() => node.stop());
  const gateway = node.listeners['gateway']!;
  const person = { email: 'root@example.org', password: 'correct horse battery' };
  const made = await call(gateway, 'POST', '/auth/bootstrap', {}, { token: 'bootstrap-secret', ...person });
  expect(made.status).toBe(201);
  const plane = positionHeaders(CONTROL_PLANE);
  const login = await call(gateway, 'POST', '/auth/login', plane, { login: person.email, password: person.password });
  expect([login.status, login.json]).toMatchObject([200, { token_type: 'Bearer' }]);
  const { keys } = (await call(gateway, 'GET', '/.well-known/jwks.json')).json as { keys: unknown[] };
  expect(keys).toHaveLength(1);
});
