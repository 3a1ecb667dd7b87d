import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AgentFiles } from '#runtime/agent/identity-file.ts';
import { skep } from './recorder.ts';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-agent-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

const SECRET = `hr_v1_01JAAAAAAAAAAAAAAAAAAAAAAA_${'S'.repeat(43)}`;

function joined(notAfterMs: number): string {
  const dir = folder();
  const files = new AgentFiles(dir);
  files.saveSettings({ vault: 'https://127.0.0.1:1', ca: null, datacenter: 'dc1', cluster: 'main', name: 'a' });
  const times = { not_before: '', not_after: new Date(notAfterMs).toISOString(), refresh_expires_at: '' };
  const node = { node_id: 'n', name: 'a', spiffe_id: 's', trust_domain: 't', certificate: 'c', ca: 'c', key: SECRET };
  files.saveIdentity({ ...node, ...times, refresh_token: SECRET });
  return dir;
}

test('status is unhealthy once the identity has expired, and shows no secret', async () => {
  const dir = joined(Date.now() - 1000);
  const said = await skep(`agent status --dir ${dir} --socket ${dir}/none.sock -o json`);
  expect(said.code).toBe(1);
  expect(JSON.parse(said.out)).toMatchObject({
    healthy: false,
    reasons: ['the identity has expired', `no agent serves ${dir}/none.sock`],
  });
  expect(said.out).not.toContain('SSSS');
});

test('status and run without an identity say how to get one', async () => {
  const dir = folder();
  for (const verb of ['status', 'run']) {
    const said = await skep(`agent ${verb} --dir ${dir} --socket ${dir}/none.sock`);
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err).toContain('skep agent init');
  }
});

test('init wants a token that other users do not see, an https vault, and no node that has joined', async () => {
  const dir = folder();
  expect(await skep(`agent init --dir ${dir}`)).toMatchObject({ code: 2 });
  const plain = await skep(`agent init --dir ${dir} --vault http://127.0.0.1`, { SKEP_JOIN_TOKEN: 'x' });
  expect(plain).toMatchObject({ code: 2 });
  const known = await skep(`agent init --dir ${joined(Date.now() + 60_000)}`, { SKEP_JOIN_TOKEN: 'x' });
  expect(known.code).toBe(1);
  expect(known.err).toContain('skep agent uninstall');
});

test('uninstall does not forget a node that the vault still trusts, unless it is forced to', async () => {
  const dir = joined(Date.now() + 60_000);
  const said = await skep(`agent uninstall --dir ${dir} --unit-dir ${dir}/units`);
  expect(said).toMatchObject({ code: 1, out: '' });
  expect(new AgentFiles(dir).identity()).not.toBeNull();
  expect((await skep(`agent uninstall --force --dir ${dir} --unit-dir ${dir}/units`)).code).toBe(0);
  expect(new AgentFiles(dir).identity()).toBeNull();
});

test('doctor finds what is wrong, one by one', async () => {
  const dir = joined(Date.now() - 1000);
  const said = await skep(`agent doctor --dir ${dir} --socket ${dir}/none.sock -o json`);
  expect(said.code).toBe(1);
  const findings = JSON.parse(said.out) as { check: string; ok: boolean }[];
  const wrong = findings.filter(({ ok, check }) => !ok && check !== 'privilege').map(({ check }) => check);
  expect(wrong).toEqual(['identity', 'vault', 'socket']);
});
