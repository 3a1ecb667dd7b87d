/**
 * `skep intake`: the service alone, and what operators do with stored submissions. operations.md "Commands", "Intake: configuration keys"
 * (precedence, named flags, secrets), "Errors" (destructive form diff, a form that fails to compile); decisions.md "Intake".
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logFiles, readLog } from '#test/kit/intake-log.ts';
import { call } from '#test/kit/test-node.ts';
import type { Answer } from '#test/kit/test-node.ts';

const launcher = fileURLToPath(new URL('../../runtime/cli/skep', import.meta.url));
const FORM = 'id: contact\nfields:\n  name: { type: string, required: true }\n  size: { type: integer }\n';

let dir: string;
let file: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-intake-cli-'));
  file = join(dir, 'intake.yaml');
  mkdirSync(join(dir, 'forms'));
  writeFileSync(join(dir, 'forms', 'contact.yaml'), FORM);
  writeFileSync(
    file,
    'http: { bind: 127.0.0.1:0 }\nratelimit: { per_ip: 100000, per_ip_burst: 100000, global: 100000, global_burst: 100000 }\n',
  );
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const env = (): NodeJS.ProcessEnv => ({ ...process.env, SKEP_DATA: join(dir, 'data') });
const jsonl = (): string => join(dir, 'data', 'intake', 'jsonl');

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run(...args: readonly string[]): Promise<Ran> {
  const child = spawn(launcher, ['intake', ...args], { env: env(), stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

interface Served {
  readonly child: ChildProcess;
  readonly url: string;
  stop(): Promise<number | null>;
}

async function serve(...args: readonly string[]): Promise<Served> {
  const child = spawn(launcher, ['intake', '--config', file, ...args], {
    env: env(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    void ended.then((code) => reject(new Error(`ended ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = JSON.parse(line) as { msg?: string; listeners?: Record<string, string> };
      if (entry.msg === 'serving') resolve(entry.listeners!['intake']!);
    });
  });
  const stop = (): Promise<number | null> => {
    child.kill('SIGTERM');
    return ended;
  };
  return { child, url, stop };
}

const submit = (url: string, body: unknown): Promise<Answer> => call(url, 'POST', '/f/contact', {}, body);

describe('the service alone', () => {
  test('serves its own listener and nothing else; a flag outranks the file; SIGHUP rotates; SIGTERM drains', async () => {
    const it = await serve('--max-body-bytes', '200');
    expect((await submit(it.url, { name: 'Ada', size: -3 })).status).toBe(200);
    expect((await submit(it.url, { name: 'x'.repeat(200) })).status).toBe(413);
    for (const path of ['/health', '/healthz', '/ready', '/readyz', '/metrics'])
      expect((await call(it.url, 'GET', path)).status, path).toBe(200);
    expect((await call(it.url, 'GET', '/.well-known/jwks.json')).status).toBe(404);
    it.child.kill('SIGHUP');
    await expect
      .poll(async () => {
        await submit(it.url, { name: '=cmd|x' });
        return logFiles(jsonl()).length;
      })
      .toBe(2);
    expect(await it.stop()).toBe(0);
  });

  test('verify and export beside the running service', async () => {
    const it = await serve();
    const verified = await run('verify', '-f', file, '-o', 'json');
    expect([verified.code, verified.err]).toEqual([0, '']);
    const lines = readLog(jsonl());
    expect(JSON.parse(verified.out)).toMatchObject({
      lines: lines.length,
      rows: lines.length,
      ahead: 0,
      faultCount: 0,
    });
    const exported = await run('export', '-f', file);
    expect(
      exported.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id),
    ).toEqual(lines.map(({ id }) => id));
    const refused = await run('rebuild', '-f', file);
    expect(refused.code).toBe(1);
    expect(await it.stop()).toBe(0);
  });

  test('export as CSV: formulas are text, numbers are numbers', async () => {
    const { code, out } = await run('export', '-f', file, '--format', 'csv', '--form', 'contact');
    expect(code).toBe(0);
    const rows = out.split('\r\n');
    expect(rows[0]).toBe('id,received_at,name,size');
    expect(rows[1]).toMatch(/^[0-9A-Z]{26},\d{4}-[^,]+Z,Ada,-3$/);
    expect(rows[2]).toMatch(/,'=cmd\|x,$/);
    expect((await run('export', '-f', file, '--format', 'csv')).code).toBe(2);
  });

  test('rebuild puts a database from the log in place, keeps the old one, and both are equal', async () => {
    const before = readLog(jsonl()).length;
    const { code, out } = await run('rebuild', '-f', file, '-o', 'json');
    expect(code).toBe(0);
    const { lines, kept } = JSON.parse(out) as { lines: number; kept: string };
    expect([lines, existsSync(kept)]).toEqual([before, true]);
    expect((await run('verify', '-f', file)).code).toBe(0);
    const it = await serve();
    expect((await submit(it.url, { name: 'after' })).status).toBe(200);
    expect(await it.stop()).toBe(0);
    expect(readLog(jsonl())).toHaveLength(before + 1);
  });

  test('verify names a line that was changed', async () => {
    const name = join(jsonl(), logFiles(jsonl())[0]!);
    const good = readFileSync(name, 'utf8');
    writeFileSync(name, good.replace('Ada', 'Eve'));
    const { code, err } = await run('verify', '-f', file);
    writeFileSync(name, good);
    expect(code).toBe(1);
    expect(err).toContain(logFiles(jsonl())[0]!);
    expect(readdirSync(join(dir, 'data', 'intake')).filter((entry) => entry.includes('verify'))).toEqual([]);
  });
});

describe('a start that is refused', () => {
  test('a form that retypes or removes a stored column: the difference is printed, nothing is touched', async () => {
    const form = join(dir, 'forms', 'contact.yaml');
    writeFileSync(form, FORM.replace('size: { type: integer }', 'town: { type: string }'));
    const { code, err } = await run('-f', file);
    writeFileSync(form, FORM);
    expect(code).toBe(1);
    expect(err).toContain('- size: integer (removed)');
    expect(err).toContain('+ town: text (added)');
    expect(err).toContain('contact.yaml');
  });

  test('a form that does not compile: file, line, column', async () => {
    const bad = join(dir, 'forms', 'bad.yaml');
    writeFileSync(bad, 'id: bad\nfields:\n  x: { type: string, pattern: "(" }\n');
    const { code, err } = await run('-f', file);
    rmSync(bad);
    expect(code).toBe(1);
    expect(err).toMatch(/bad\.yaml:3:\d+: pattern is no RE2 expression/);
  });

  test.each([
    [['--http-bind', '203.0.113.1:8081'], 'must not listen'],
    [['--storage-backend', 'postgres'], 'storage.backend'],
    [['--notify-enabled', '--smtp-host', 'mail.example', '--email-from', 'a@example.org'], 'smtp.username'],
    [['--no-such-flag'], 'unknown option'],
    [['servee'], 'unknown command'],
  ])('%j', async (flags, message) => {
    const { code, err } = await run(...(flags[0] === 'servee' ? flags : ['-f', file, ...flags]));
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
