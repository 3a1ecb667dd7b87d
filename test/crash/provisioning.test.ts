/** kill -9 as each step of a provisioning begins; the next run resumes it. Spec: docs/contract/identity.md §10.4. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { startNode } from '#runtime/node.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { tally } from '#test/kit/tally.ts';
import { call, positionHeaders } from '#test/kit/test-node.ts';

const child = fileURLToPath(new URL('./provisioning-child.ts', import.meta.url));

/** Steps in the order in which provisionTenant tells them. */
const STEPS = [
  'registering',
  'applying the schema',
  'seeding the administrator',
  'activating',
  'telling door and hosts',
];

test.each(STEPS.map((step, at) => [step, at + 1] as const))('killed at %s', { timeout: 60_000 }, async (step, n) => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-crash-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = writePlatformFile(dir);
  const killed = spawn(process.execPath, [child, file, TENANT, String(n)], { stdio: 'inherit' });
  expect(await new Promise((resolve) => killed.on('exit', (_code, signal) => resolve(signal)))).toBe('SIGKILL');
  tally({ kills: 1 });

  const node = await startNode(platformOf(file));
  onTestFinished(() => node.stop());
  const admin = { email: 'boss@example.org', password: 'a password for people' };
  const told: string[] = [];
  const report = await node.provision(TENANT, { admin, told: (line) => void told.push(line) });
  expect({ state: report.state, told }).toEqual({ state: 'active', told: STEPS });
  expect(node.tenants()).toMatchObject([{ no: 2, state: 'active', position: { key: TENANT } }]);
  expect(((await node.ask(CONTROL_PLANE, 'identity', 'control.read', null)) as { ring: object[] }).ring).toHaveLength(
    1,
  );
  // Until the tenant is active the password that the killed run drew is replaced; afterwards its owner may have seen it.
  const wasActive = step === 'telling door and hosts';
  expect(report.admin).toBe(wasActive ? 'present' : 'seeded');
  const login = (password: string) =>
    call(node.listeners['gateway']!, 'POST', '/auth/login', positionHeaders(TENANT), { login: admin.email, password });
  expect((await login(wasActive ? 'never seen before' : admin.password)).status).toBe(200);
});
