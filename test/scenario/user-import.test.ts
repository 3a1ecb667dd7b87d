/** Users of another system on a real node: the command line on a stopped and on a running one, the route, and logins with old passwords. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VECTORS } from '#test/kit/foreign-hashes.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { call, positionHeaders, type Answer } from '#test/kit/test-node.ts';

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));
const PASSWORD = 'correct horse';
const LIMIT = { timeout: 60_000 };
const ROWS = 450;

const dir = mkdtempSync(join(tmpdir(), 'skep-import-'));
const file = writePlatformFile(dir, { rates: '  auth_login: off\n' });
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function skep(line: string, input: string | null = null): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(launcher, [...line.split(' '), '-f', file], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input ?? '');
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

const lines = VECTORS.map(({ hash, password }, no) => ({ email: `v${no}@example.org`, hash, password }));

describe('skep user import', () => {
  test('on the stores of a stopped node: CSV, several steps, refused rows are named', LIMIT, async () => {
    const made = await skep(`tenant provision --tenant ${TENANT} --email boss@example.org`, `${PASSWORD}\n`);
    expect(made.code).toBe(0);
    const rows = Array.from({ length: ROWS }, (_, no) => `u${no}@example.org,tenant_user,${no === 7 ? 'md5' : ''}`);
    writeFileSync(join(dir, 'users.csv'), `\ufeffemail,roles,password_hash\r\n${rows.join('\r\n')}\r\n`);
    const { code, out, err } = await skep(`user import ${join(dir, 'users.csv')} --tenant ${TENANT} -o json`);
    expect(JSON.parse(out)).toEqual({ tenant: TENANT, imported: ROWS - 1, existing: 0, refused: 1 });
    expect(err).toContain('row 8 u7@example.org: hash_refused');
    expect(code).toBe(1);
  });

  test('wrong files and formats say what is wrong', LIMIT, async () => {
    const absent = await skep(`user import ${join(dir, 'absent.ndjson')} --tenant ${TENANT}`);
    expect([absent.code, absent.err]).toEqual([1, expect.stringContaining('absent.ndjson')]);
    const unnamed = await skep(`user import users.txt --tenant ${TENANT}`);
    expect([unnamed.code, unnamed.err]).toEqual([2, expect.stringContaining('--format')]);
    const header = await skep(`user import - --format csv --tenant ${TENANT}`, 'mail\nx\n');
    expect([header.code, header.err]).toEqual([2, expect.stringContaining('among them is "email"')]);
  });
});

describe('on a running node', () => {
  let node: ProcessNode;
  beforeAll(async () => {
    node = await startProcess(file);
  }, 60_000);
  afterAll(() => node.end('SIGTERM'));

  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    call(node.listeners['gateway']!, 'POST', path, { ...positionHeaders(TENANT), ...headers }, body);
  const login = (name: string, password: string) => post('/auth/login', { login: name, password });

  test(
    'JSON lines from standard input; the same again changes nothing; a form too many is refused',
    LIMIT,
    async () => {
      const text = lines.map(({ email, hash }) => JSON.stringify({ email, password_hash: hash })).join('\n');
      const first = await skep(`user import - --format jsonl --tenant ${TENANT} -o json`, text);
      const counts = JSON.parse(first.out) as { imported: number; refused: number };
      expect(first.err).toContain('too_many_hash_forms');
      expect(counts.imported + counts.refused).toBe(lines.length);
      const again = await skep(`user import - --format jsonl --tenant ${TENANT} -o json`, text);
      expect(JSON.parse(again.out)).toMatchObject({ imported: 0, existing: counts.imported, refused: counts.refused });
    },
  );

  test('those who came log in with the password that they had, and forms become free', LIMIT, async () => {
    for (const { email, password } of lines.slice(0, 3)) {
      expect((await login(email, 'wrong horse')).status).toBe(401);
      expect((await login(email, password)).status).toBe(200);
    }
    const text = lines.map(({ email, hash }) => JSON.stringify({ email, password_hash: hash })).join('\n');
    const { out } = await skep(`user import - --format jsonl --tenant ${TENANT} -o json`, text);
    expect((JSON.parse(out) as { imported: number }).imported).toBeGreaterThan(0);
  });

  test('an administrator imports over HTTP; a body beyond the bound is refused', LIMIT, async () => {
    const admin = await login('boss@example.org', PASSWORD);
    const headers = { Authorization: `Bearer ${(admin.json as { access_token: string }).access_token}` };
    const users = [{ email: 'http@example.org' }, { email: 'boss@example.org' }];
    const answer = await post('/auth/admin/users/import', { users }, headers);
    expect([answer.status, answer.json]).toMatchObject([200, { imported: 1, existing: 1, refused: 0 }]);
    const large = await post('/auth/admin/users/import', { users: 'x'.repeat(1024 * 1024) }, headers);
    expect([large.status, large.text]).toEqual([400, expect.stringContaining('1048576 bytes')]);
  });
});
