/** `skep debug bundle` of a running node whose configuration, tenants, mails and keys are known: nothing secret is in the file. Spec: docs/contract/platform.md §1.7. */
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { loadPlatform } from '#config/load.ts';
import { freePortBase } from '#test/kit/free-port.ts';
import { unpackDirectory } from '#test/kit/old-directory.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { positionHeaders } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const LIMIT = { timeout: 180_000 };

/** Names and texts of a tar archive whose names are short. */
function entriesOf(tar: Buffer): Record<string, string> {
  const found: Record<string, string> = {};
  for (let at = 0; tar[at] !== 0;) {
    const text = (from: number, to: number): string => tar.toString('utf8', at + from, at + to).replace(/\0.*$/s, '');
    const size = Number.parseInt(text(124, 136), 8);
    found[text(0, 100)] = tar.toString('utf8', at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return found;
}

async function bundle(file: string, dir: string, env: Record<string, string>, more = '') {
  const to = join(dir, 'out.tar.gz');
  const { code, out, err } = await skep(`debug bundle -f ${file} --to ${to}${more}`, env);
  expect([code, err, out]).toEqual([0, '', `${to}\n`]);
  expect(statSync(to).mode & 0o777).toBe(0o600);
  const tar = gunzipSync(readFileSync(to));
  return { to, tar, parts: entriesOf(tar) };
}

test(
  'of a running node: every part is there, a profile of its threads too, and no secret, row or address',
  LIMIT,
  async () => {
    const unpacked = unpackDirectory('clean', '0.2.0');
    onTestFinished(() => unpacked.remove());
    const { dir, file, found } = unpacked;
    const password = 'smtp-password-9f31';
    const mine = readFileSync(file, 'utf8')
      .replaceAll('/proc/self/cwd/product', './product')
      .replace('auth: none', `auth: plain, username: sender, password: ${password}`)
      .replace(
        'forms: { dir: ./forms }',
        'forms: { dir: ./forms }\n  logging: { output: file, file: { path: ./intake.log } }',
      );
    writeFileSync(file, mine);
    const env = { SKEP_PORT_BASE: String(await freePortBase()) };
    const loaded = loadPlatform(file, { env });
    expect(loaded).not.toHaveProperty('problems');
    const node = await startProcess(file, env, ['env', '-C', dir]);
    try {
      const tenant = found.tenants[0]!;
      const headers = { ...positionHeaders(tenant), 'Content-Type': 'application/json' };
      const body = JSON.stringify({ login: 'ada@example.org', password: found.password });
      const login = await fetch(`${node.listeners['gateway']!}/auth/login`, { method: 'POST', headers, body });
      const { access_token, refresh_token } = (await login.json()) as Record<string, string>;
      appendFileSync(
        join(dir, 'intake.log'),
        `{"msg":"planted","to":"eve@example.net","source_ip":"203.0.113.77","token":"${access_token!}","password":"${password}"}\n`,
      );
      const { parts, tar, to } = await bundle(file, dir, env, ' --profile 500ms');
      expect(Object.keys(parts).map((path) => path.replace('skep-debug/', ''))).toEqual([
        'config.yaml',
        'doctor.json',
        'intake.log',
        'machine.json',
        'metrics.txt',
        'profile.json',
        'readyz.json',
        'storage.json',
        'threads.json',
        'version.json',
      ]);
      const part = (name: string): string => parts[`skep-debug/${name}`]!;
      expect(part('metrics.txt')).toContain('skep_requests_total{');
      expect(JSON.parse(part('readyz.json'))).toMatchObject({ ready: true });
      expect(JSON.parse(part('doctor.json'))).toContainEqual(
        expect.objectContaining({ check: 'node', detail: 'serves' }),
      );
      expect(JSON.parse(part('threads.json'))).toMatchObject({ pid: node.pid });
      expect(Object.keys((JSON.parse(part('threads.json')) as { workers: object }).workers).join()).toMatch(
        /tenant-host/,
      );
      const profile = JSON.parse(part('profile.json')) as Record<string, { profile?: { nodes: unknown[] } }>;
      const hosts = Object.entries(profile).filter(([title]) => title.includes('tenant-host'));
      expect(hosts.length).toBeGreaterThan(1);
      for (const [, { profile: one }] of hosts) expect(one!.nodes.length).toBeGreaterThan(0);
      expect(JSON.parse(part('storage.json'))).toContainEqual(expect.objectContaining({ folder: 'shards/0' }));
      expect(JSON.parse(part('machine.json'))).toMatchObject({ limits: expect.arrayContaining([expect.any(String)]) });
      expect(part('config.yaml')).toContain('********');
      expect(part('intake.log')).toContain('planted');

      const known = [
        password,
        'fixture-bootstrap-token',
        access_token!,
        refresh_token!,
        found.password,
        found.mfa.secret,
        found.mfa.recovery,
        ...Object.values(found.serviceKeys),
        ...Object.values(found.secrets),
        readFileSync(join(dir, 'root.key'), 'utf8').trim(),
        'ada@example.org',
        'museum@example.org',
        'eve@example.net',
        '203.0.113.77',
        'hall 0',
        'by an action',
        'an asset of the fixture',
      ];
      for (const text of known) {
        expect(text.length).toBeGreaterThan(3);
        expect([text, tar.includes(text), tar.includes(Buffer.from(text).toString('base64'))]).toEqual([
          text,
          false,
          false,
        ]);
      }

      const again = await skep(`debug bundle -f ${file} --to ${to}`, env);
      expect([again.code, again.err]).toEqual([2, expect.stringContaining('is there already')]);
    } finally {
      expect(await node.end('SIGTERM')).toBe(0);
    }
  },
);

test('without a node: what is not there says why, the rest is gathered', LIMIT, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-debug-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, 'data'));
  const file = join(dir, 'platform.yaml');
  writeFileSync(file, 'storage: { dir: ./data, free_bytes_min: 0 }\nlisteners: { operations: false, intake: false }\n');
  const { parts } = await bundle(file, dir, {});
  expect(parts['skep-debug/metrics.txt']).toBe('not there: the platform file sets no operations listener\n');
  expect(parts['skep-debug/threads.json']).toBe('not there: no node serves this directory now\n');
  expect(parts['skep-debug/doctor.json']).toContain('data directory');
  expect(parts).not.toHaveProperty(['skep-debug/profile.json']);
});

test('wrong usage is 2', async () => {
  for (const words of ['', ' -f p.yaml', ' -f p.yaml --to x --profile 2m', ' -f p.yaml --to x --profile soon'])
    expect((await skep(`debug bundle${words}`)).code).toBe(2);
});
