import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NodeLog, type LogOptions } from '#runtime/observe/logger.ts';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'skep-log-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const file = () => join(folder, 'deep', 'node.log');
const options = (change: Partial<LogOptions> = {}): LogOptions => ({
  level: 'info',
  output: file(),
  format: 'json',
  ...change,
});
const lines = () => readFileSync(file(), 'utf8').trimEnd().split('\n');
const parsed = () => lines().map((line) => JSON.parse(line) as Record<string, unknown>);

/** First, before this process has loaded pino. */
test('a log that says nothing does not load pino', () => {
  const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.endsWith('/pino/pino.js'));
  const log = new NodeLog(options({ level: 'warn' })).for('data');
  log.info({}, 'quiet');
  expect([loaded(), existsSync(file())]).toEqual([false, false]);
  log.warn({}, 'loud');
  expect([loaded(), existsSync(file())]).toEqual([true, true]);
});

test('each line is JSON with level, time, service and message', () => {
  const log = new NodeLog(options());
  log.for('data').info({ rows: 3 }, 'loaded');
  log.for('main').error({ err: new Error('broken') }, 'failed');
  const [first, second] = parsed();
  expect(first).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    service: 'data',
    rows: 3,
    msg: 'loaded',
  });
  expect(second).toMatchObject({
    level: 'error',
    service: 'main',
    err: { message: 'broken', stack: expect.any(String) },
  });
});

test('a line that names its service itself says it once', () => {
  new NodeLog(options()).for('host').warn({ service: 'identity', password: 'x' }, 'no mail');
  expect(lines()[0]!.match(/"service"/g)).toHaveLength(1);
  expect(parsed()[0]).toMatchObject({ service: 'identity', password: '[redacted]', msg: 'no mail' });
});

test.each([
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['info', ['info', 'warn', 'error']],
  ['error', ['error']],
] as const)('level %s lets through %j', (level, expected) => {
  const log = new NodeLog(options({ level })).for('x');
  for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name]({}, name);
  expect(parsed().map((line) => line['level'])).toEqual(expected);
});

test('silent says nothing', () => {
  new NodeLog(options({ level: 'silent' })).for('x').error({}, 'lost');
  expect(existsSync(file())).toBe(false);
});

test('secrets are not printed, at the top and one level down', () => {
  const secret = 'do-not-print';
  const fields = { password: secret, api_key: secret, request: { authorization: secret, token: secret, secret } };
  new NodeLog(options()).for('identity').info(fields, 'login');
  expect(lines().join()).not.toContain(secret);
  expect(parsed()[0]).toMatchObject({ password: '[redacted]', request: { token: '[redacted]' } });
});

test('reopen goes on in a new file after the old one was moved away', () => {
  const log = new NodeLog(options());
  log.for('x').info({}, 'one');
  renameSync(file(), join(folder, 'old.log'));
  log.reopen();
  log.for('x').info({}, 'two');
  expect(readFileSync(join(folder, 'old.log'), 'utf8')).toContain('one');
  expect(parsed().map((line) => line['msg'])).toEqual(['two']);
});

test('lines of several threads do not mix', async () => {
  const workers = ['a', 'b', 'c'].map(
    (service) =>
      new Worker(new URL('./log.worker.ts', import.meta.url), { workerData: { options: options(), service } }),
  );
  await Promise.all(workers.map((worker) => once(worker, 'exit')));
  const counts: Record<string, number> = {};
  for (const line of parsed()) counts[String(line['service'])] = (counts[String(line['service'])] ?? 0) + 1;
  expect(counts).toEqual({ a: 500, b: 500, c: 500 });
});

const LOGGER = fileURLToPath(new URL('../../../runtime/observe/logger.ts', import.meta.url));

/** What another process that runs this line writes to its standard output. */
function stdoutOf(line: string): string {
  const source = `import { NodeLog } from ${JSON.stringify(LOGGER)};\n${line}`;
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module'];
  return execFileSync(process.execPath, [...flags, '-e', source], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

test('stdout and stderr are outputs, also as text', () => {
  const run = (output: string, format: string) =>
    stdoutOf(
      `new NodeLog({ level: 'info', output: '${output}', format: '${format}' }).for('data').warn({ a: 3 }, 'slow')`,
    );
  expect(JSON.parse(run('stdout', 'json'))).toMatchObject({ level: 'warn', service: 'data', a: 3 });
  expect(run('stdout', 'text')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z WARN data: slow a=3\n$/);
  expect(run('stderr', 'json')).toBe('');
});
