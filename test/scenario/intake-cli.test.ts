/**
 * `skep intake`: the service alone, and what operators do with stored submissions. Spec: docs/contract/intake.md §2
 * (precedence, named flags, secrets), §3.3 (destructive form diff, a form that fails to compile), §4.3, §8 (commands).
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IntakeProcess, type Ran, type ServedIntake } from '#test/kit/intake-process.ts';
import { logFiles, readLog } from '#test/kit/intake-log.ts';
import { call, type Answer } from '#test/kit/test-node.ts';

const FORM = 'id: contact\nfields:\n  name: { type: string, required: true }\n  size: { type: integer }\n';

let dir: string;
let it: IntakeProcess;
let file: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-intake-cli-'));
  it = new IntakeProcess(dir, FORM);
  file = it.file;
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const run = (...args: readonly string[]): Promise<Ran> => it.run(...args);
const serve = (...args: readonly string[]): Promise<ServedIntake> => it.serve(...args);
const jsonl = (): string => it.jsonl;

const submit = (url: string, body: unknown): Promise<Answer> => call(url, 'POST', '/f/contact', {}, body);

describe('the service alone', () => {
  test('serves its own listener and nothing else; a flag outranks the file; SIGHUP rotates; SIGTERM drains', async () => {
    const served = await serve('--max-body-bytes', '200');
    expect((await submit(served.url, { name: 'Ada', size: -3 })).status).toBe(200);
    expect((await submit(served.url, { name: 'x'.repeat(200) })).status).toBe(413);
    for (const path of ['/health', '/healthz', '/ready', '/readyz', '/metrics'])
      expect((await call(served.url, 'GET', path)).status, path).toBe(200);
    expect((await call(served.url, 'GET', '/.well-known/jwks.json')).status).toBe(404);
    served.signal('SIGHUP');
    await expect
      .poll(async () => {
        await submit(served.url, { name: '=cmd|x' });
        return logFiles(jsonl()).length;
      })
      .toBe(2);
    expect(await served.stop()).toBe(0);
  });

  test('verify and export beside the running service', async () => {
    const served = await serve();
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
    expect(await served.stop()).toBe(0);
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

  test('export as CSV has every field that the form declares, also one that no row has', async () => {
    const forms = join(dir, 'more-forms');
    mkdirSync(forms);
    writeFileSync(join(forms, 'contact.yaml'), `${FORM}  reason: { type: string }\n`);
    const { out } = await run('export', '-f', file, '--format', 'csv', '--form', 'contact', '--forms-dir', forms);
    expect(out.split('\r\n')[0]).toBe('id,received_at,name,size,reason');
  });

  test('an export whose reader has seen enough ends without a word', async () => {
    const served = await serve();
    const text = 'x'.repeat(3000);
    for (let i = 0; i < 60; i++) expect((await submit(served.url, { name: text })).status).toBe(200);
    expect(await served.stop()).toBe(0);
    expect(await it.cutShort('export', '-f', file)).toEqual({ code: 0, err: '' });
    const csv = ['--format', 'csv', '--form', 'contact'];
    expect(await it.cutShort('export', '-f', file, ...csv)).toEqual({ code: 0, err: '' });
  });

  test('rebuild puts a database from the log in place, keeps the old one, and both are equal', async () => {
    const before = readLog(jsonl()).length;
    const { code, out } = await run('rebuild', '-f', file, '-o', 'json');
    expect(code).toBe(0);
    const { lines, kept } = JSON.parse(out) as { lines: number; kept: string };
    expect([lines, existsSync(kept)]).toEqual([before, true]);
    expect((await run('verify', '-f', file)).code).toBe(0);
    const served = await serve();
    expect((await submit(served.url, { name: 'after' })).status).toBe(200);
    expect(await served.stop()).toBe(0);
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

test.each([
  ['is not there', 'no-forms', 'there is no such directory'],
  ['is empty', 'empty-forms', 'the directory holds no form'],
])('a directory of forms that %s: the start says so, and what to do', async (_what, name, said) => {
  const forms = join(dir, name);
  if (name === 'empty-forms') mkdirSync(forms);
  const served = await serve('--forms-dir', forms);
  expect((await submit(served.url, { name: 'Ada' })).status).toBe(404);
  expect(await served.stop()).toBe(0);
  const warned = served.said.find((line) => line.includes('no form is served'));
  expect(JSON.parse(warned!)).toMatchObject({
    level: 'warn',
    dir: forms,
    msg: `no form is served, every submission is answered 404: ${said}`,
    mend: expect.stringContaining('intake.forms.dir'),
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
