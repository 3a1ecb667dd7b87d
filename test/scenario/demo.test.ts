/** `skep demo`: what it prints works as printed, and what it writes is what scripts rely on. */
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { holder, ownFolder, root, startDemo } from '#test/kit/demo-process.ts';
import { freePortBase } from '#test/kit/free-port.ts';

const run = promisify(execFile);
const bash = async (command: string): Promise<unknown> => JSON.parse((await run('bash', ['-c', command])).stdout);

interface Dev {
  readonly gateway: string;
  readonly operations: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly api_key: string;
  readonly service_key: string;
  readonly admin: object;
  readonly console: string;
  readonly operator_login: string;
  readonly operator_password: string;
  readonly sample: { readonly id: string; readonly create: object };
}

function devOf(dataDir: string): Dev {
  return JSON.parse(readFileSync(join(dataDir, 'dev.json'), 'utf8')) as Dev;
}

/** The lines that follow a `# title`. */
function printedCommands(output: string): string[] {
  return [...output.matchAll(/^# .*\n(.*)\n/gm)].map(([, command]) => command!);
}

function expectFiles(dataDir: string, base: number): void {
  for (const name of ['dev.json', 'position.curl', 'exchange.curl'])
    expect(statSync(join(dataDir, name)).mode & 0o777, name).toBe(0o600);
  const dev = devOf(dataDir);
  expect(Object.keys(dev).toSorted()).toEqual(
    [
      'admin',
      'api_key',
      'bootstrap_token',
      'console',
      'content',
      'gateway',
      'headers',
      'listeners',
      'operations',
      'operator_login',
      'operator_password',
      'sample',
      'service_key',
    ].toSorted(),
  );
  expect(dev).toMatchObject({
    gateway: `http://127.0.0.1:${base}`,
    operations: `http://127.0.0.1:${base + 1}`,
    console: `http://127.0.0.1:${base + 10}/console/`,
    listeners: { intake: `http://127.0.0.1:${base + 4}` },
    headers: { 'X-Customer': 'acme', 'X-Product': 'atlas', 'X-Env': 'dev', 'X-Tenant': 'main' },
  });
  expect(Object.keys(dev.headers)).toHaveLength(4);
  expect(Object.keys(dev.admin).toSorted()).toEqual(['login', 'password']);
  expect(Object.keys(dev.sample).toSorted()).toEqual(['create', 'entity', 'filter', 'form', 'id', 'submission']);
}

interface Listed {
  readonly data: readonly { readonly id: string; readonly population: number }[];
}

async function expectCommandsWork(output: string): Promise<void> {
  const [list, create, submit] = printedCommands(output) as [string, string, string];
  const { data } = (await bash(list)) as Listed;
  expect(data).toHaveLength(5);
  expect(data.map((row) => row.population)).toEqual(data.map((row) => row.population).toSorted((a, b) => b - a));
  const ids = [await bash(create), await bash(create)].map((answer) => (answer as Listed).data[0]!.id);
  expect(new Set(ids).size).toBe(2);
  expect(Object.keys((await bash(submit)) as object)).toEqual(['id', 'received_at']);
}

/** The status for the code of the printed link, which logs in once; it is in no file. */
async function enter(output: string, dataDir: string): Promise<number> {
  const [, address, code] = /^(http:\S+\/console\/)at\/acme\/atlas\/dev\/main\/data#login=(\S{43})$/m.exec(output)!;
  expect(readFileSync(join(dataDir, 'dev.json'), 'utf8')).not.toContain(code!);
  const answer = await fetch(`${address}login`, { method: 'POST', body: JSON.stringify({ code }) });
  return answer.status;
}

/** Stalls of a thread, from 250 ms on: a loaded machine makes them while 135,000 rows are loaded, so they say nothing of the demo. */
const STALL = 'a thread stands still in one turn';

/** What the node logged beside the demo's own lines. */
function logLines(output: string): string[] {
  return output.split('\n').filter((line) => /"level"|WARN/.test(line) && !line.includes(STALL));
}

test('the demo prints commands that work, and keeps its keys', { timeout: 120_000 }, async () => {
  const folder = ownFolder();
  const dataDir = join(folder, "the demo's data");
  const base = await freePortBase();
  const env = { SKEP_DATA: dataDir, SKEP_PORT_BASE: String(base) };
  const command = `exec '${join(root, 'runtime/cli/skep')}' demo`;
  const first = await startDemo(command, folder, dataDir, env);
  expect(first.output()).toContain('provisioning acme:atlas:dev:main');
  expect(logLines(first.output())).toEqual([]);
  expect(printedCommands(first.output())).toHaveLength(4);
  expectFiles(dataDir, base);
  await expectCommandsWork(first.output());
  expect(await enter(first.output(), dataDir)).toBe(200);
  expect(await enter(first.output(), dataDir)).toBe(401);
  const { api_key, service_key, admin, operator_password } = devOf(dataDir);
  process.kill(holder(dataDir), 'SIGTERM');
  expect(await first.exited).toBe(0);

  const second = await startDemo(command, folder, dataDir, env);
  expect(second.output()).not.toContain('provisioning');
  expect(devOf(dataDir)).toMatchObject({ api_key, service_key, admin, operator_password });
  expect(await enter(second.output(), dataDir)).toBe(200);
  await expectCommandsWork(second.output());
});
