import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { intakeFlags } from '#config/intake-flags.ts';
import { loadPlatformText } from '#config/load.ts';
import { buildProgram } from '#runtime/cli/program.ts';
import { commitOf, skepVersion } from '#runtime/version.ts';
import { fileOf, Recorder, skep } from './recorder.ts';

describe('version', () => {
  test('as a flag and as a verb, for people and for programs', async () => {
    expect(await skep('--version')).toEqual({ code: 0, out: `${skepVersion()}\n`, err: '' });
    expect((await skep('version')).out).toContain(`skep            ${skepVersion()}\n`);
    expect(JSON.parse((await skep('version -o json')).out)).toMatchObject({ skep: skepVersion(), lmdb: '3.5.6' });
    expect((await skep('intake version')).out).toBe((await skep('version')).out);
  });

  test('names the commit and its date; unknown outside a checkout', async () => {
    const { commit, date } = JSON.parse((await skep('version -o json')).out) as { commit: string; date: string };
    const git = (format: string) =>
      execFileSync('git', ['log', '-1', `--format=${format}`], { encoding: 'utf8' }).trim();
    expect([commit, date]).toEqual([git('%H'), git('%cI')]);
    expect(commitOf(tmpdir())).toEqual({ commit: 'unknown', date: 'unknown' });
  });

  test('a package names the commit that it was made from', () => {
    const dir = mkdtempSync(join(tmpdir(), 'skep-packed-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const madeFrom = { commit: 'c0ffee', date: '2026-11-24T20:00:00Z' };
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ version: '1.2.3', madeFrom }));
    expect(commitOf(dir)).toEqual(madeFrom);
  });
});

describe('config', () => {
  test('generate bootstrap-dev prints a file that loads', async () => {
    const { code, out } = await skep('config generate bootstrap-dev');
    expect(code).toBe(0);
    expect(loadPlatformText(out, 'p.yaml', { env: {} })).toHaveProperty('platform');
  });

  test('generate bootstrap-dev takes -f as every verb does, and neither reads nor writes the file', async () => {
    const { code, out } = await skep('config generate bootstrap-dev -f /nowhere/platform.yaml');
    expect(code).toBe(0);
    expect(loadPlatformText(out, 'p.yaml', { env: {} })).toHaveProperty('platform');
    expect((await skep('identity config generate bootstrap-dev -f /nowhere/platform.yaml')).code).toBe(0);
  });

  test('show prints the effective configuration, flags over environment over file', async () => {
    const file = fileOf('log: {level: warn}\nstorage: {dir: /d}\nbootstrap: {token: hunter2}\n');
    const { out } = await skep(
      `config show -f ${file} --set log.level=debug --set hosts=2 --set intake.cors.origins=[https://a.b]`,
      {
        SKEP_DATA: '/from-env',
      },
    );
    const shown = parse(out) as { log: unknown; storage: { dir: string }; hosts: number; intake: { cors: unknown } };
    expect(shown).toMatchObject({ log: { level: 'debug' }, storage: { dir: '/from-env' }, hosts: 2 });
    expect(shown.intake.cors).toEqual({ origins: ['https://a.b'] });
    expect(out).not.toContain('hunter2');
    expect(JSON.parse((await skep('config show -o json')).out)).toHaveProperty('gateway.bind', '127.0.0.1:8080');
  });

  test('show names every problem and exits 2', async () => {
    const file = fileOf('gatway: 1\nhosts: 0\n');
    const { code, out, err } = await skep(`config show -f ${file}`);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`${file}:1:1: unknown key "gatway"\n    did you mean "gateway"?\n${file}:2:8: hosts must be`);
  });
});

describe('intake', () => {
  /** docs/contract/intake.md §2.8, each flag with its key. */
  const NAMED = {
    'http-bind': 'http.bind',
    'max-body-bytes': 'http.max_body_bytes',
    'storage-backend': 'storage.backend',
    'wal-jsonl': 'storage.wal_jsonl',
    'embedded-path': 'embedded.path',
    'jsonl-dir': 'jsonl.dir',
    'forms-dir': 'forms.dir',
    'log-output': 'logging.output',
    'log-format': 'logging.format',
    'log-file': 'logging.file.path',
    'log-level': 'logging.level',
    'ratelimit-per-ip': 'ratelimit.per_ip',
    'ratelimit-per-ip-burst': 'ratelimit.per_ip_burst',
    'ratelimit-global': 'ratelimit.global',
    'client-ip-header': 'security.client_ip_header',
    'gateway-secret': 'security.gateway_secret',
    'notify-enabled': 'notify.enabled',
    'email-provider': 'email.provider',
    'email-from': 'email.from',
    'smtp-host': 'email.smtp.host',
    'smtp-port': 'email.smtp.port',
    'smtp-auth': 'email.smtp.auth',
    'smtp-username': 'email.smtp.username',
    'chat-webhook': 'chat.default_webhook',
  };

  test('every named flag is there, and every key has a flag of its own', () => {
    const flags = intakeFlags();
    const byFlag = Object.fromEntries(flags.map(({ flag, key }) => [flag, key]));
    expect(byFlag).toMatchObject(NAMED);
    expect(Object.keys(byFlag)).toHaveLength(flags.length);
    expect(new Set(flags.map(({ key }) => key)).size).toBe(flags.length);
  });

  test('only flags that are given override the file', async () => {
    const file = fileOf('ratelimit: {per_ip: 7, per_ip_burst: 9}\nstorage: {wal_jsonl: false}\n');
    const line = `intake config show --config ${file} --ratelimit-per-ip 10 --notify-enabled --cors-origins https://a.b,https://c.d`;
    const shown = parse((await skep(line)).out) as object;
    expect(shown).toMatchObject({
      ratelimit: { per_ip: 10, per_ip_burst: 9, global: 200 },
      storage: { wal_jsonl: false },
      notify: { enabled: true },
      cors: { origins: ['https://a.b', 'https://c.d'] },
    });
    const { out } = await skep('intake config show --wal-jsonl=false --gateway-secret hunter2');
    expect(out).toContain('wal_jsonl: false');
    expect(out).not.toContain('hunter2');
  });

  test('generate prints every default, and it loads', async () => {
    const { out } = await skep('intake config generate');
    expect(out).toContain('batch_wait: 25ms # a duration');
    expect(loadPlatformText(out, 'intake.yaml', { env: {}, service: 'intake' })).toHaveProperty('platform');
  });
});

describe('usage', () => {
  test.each([
    'vers',
    'config shwo',
    'config show --nope',
    'config show -o xml',
    'config show --set novalue',
    'config generate',
  ])('%s exits 2 and prints nothing on standard output', async (line) => {
    const { code, out, err } = await skep(line);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).not.toBe('');
  });

  test('help names the verbs of a group that is filled late', async () => {
    expect((await skep('help intake')).out).toContain('config ');
  });

  test('a near miss is suggested', async () => {
    expect((await skep('config shwo')).err).toContain('Did you mean show?');
  });

  test('every verb explains itself, and those that take options give examples', async () => {
    const program = await buildProgram(['intake'], new Recorder());
    const visit = (command: typeof program, path: string[]): string[][] => [
      path,
      ...command.commands.flatMap((child) => visit(child, [...path, child.name()])),
    ];
    for (const path of visit(program, [])) {
      const { code, out } = await skep([...path, '--help'].join(' '));
      expect(code).toBe(0);
      expect(out).toContain(`Usage: skep${path.map((name) => ` ${name}`).join('')}`);
    }
    for (const line of [
      '--help',
      'config show --help',
      'intake config show --help',
      'config generate bootstrap-dev --help',
    ])
      expect((await skep(line)).out).toMatch(/Examples?:\n {2}skep|Examples?:\n {2}EDGE/);
  });

  test('options of a verb stay with the verb, on every level', async () => {
    const program = await buildProgram(['intake'], new Recorder());
    const line = ['config', 'show', '-f', '/nowhere.yaml'];
    await expect(program.parseAsync(line, { from: 'user' })).rejects.toThrow('/nowhere.yaml: cannot read the file');
    expect(program.opts()).toEqual({});
  });
});

/** The packages that a command line imports, in a process of its own. */
function packagesOf(line: string): string[] {
  const entry = new URL('../../../runtime/cli/program.ts', import.meta.url).href;
  const script = `
    import { registerHooks } from 'node:module';
    const seen = new Set();
    registerHooks({ load(url, context, next) { seen.add(/node_modules.([^/]+)/.exec(url)?.[1]); return next(url, context); } });
    const { runCli } = await import(${JSON.stringify(entry)});
    await runCli(${JSON.stringify(line.split(' '))}, { out() {}, err() {}, redraws: false, columns: 80, env: {}, now: () => 0 });
    console.log([...seen].filter(Boolean).sort().join(' '));
  `;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).trim().split(' ');
}

test('a verb imports what it needs and no more', () => {
  expect(packagesOf('version')).toEqual(['commander']);
  expect(packagesOf('config generate bootstrap-dev')).toEqual(['commander']);
  expect(packagesOf('config show')).toEqual(['commander', 'yaml', 'zod']);
});
