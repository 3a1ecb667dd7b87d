/** Signals: SIGTERM drains, a second one ends at once, SIGHUP rotates. Spec: docs/contract/intake.md §8. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { logFiles, readLog } from '#test/kit/intake-log.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { call, exchange, positionHeaders, startTestNode, type Headers } from '#test/kit/test-node.ts';
import { Wire } from '#test/runtime/door/wire.ts';

const CALLERS = 48;
const dir = mkdtempSync(join(tmpdir(), 'skep-drain-'));
const jsonl = join(dir, 'data', 'intake', 'jsonl');
let file: string;
let key: string;
beforeAll(async () => {
  const prepared = await startTestNode({ dir });
  key = prepared.serviceKey;
  await prepared.stop();
  file = writePlatformFile(dir);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const portOf = (node: ProcessNode, listener: string): number => Number(new URL(node.listeners[listener]!).port);

async function service(node: ProcessNode): Promise<Headers> {
  return { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(node.listeners['gateway']!, key)}` };
}

function requestText(method: string, path: string, headers: Headers, body = ''): string {
  const lines = Object.entries({ Host: 'drain.test', ...headers, 'Content-Length': String(body.length) });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

function createText(headers: Headers, name: string): string {
  return requestText('POST', '/data/rest/item', headers, JSON.stringify({ name }));
}

function submitText(name: string): string {
  const body = JSON.stringify({ name, email: 'a@example.org' });
  return requestText('POST', '/f/contact', { 'Content-Type': 'application/json' }, body);
}

/** How an attempt to connect ends. */
async function connected(port: number): Promise<string> {
  try {
    (await Wire.open(port)).end();
    return 'taken';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** A node that ends with its test, so that one that fails leaves the directory to the next. */
async function start(platformFile = file): Promise<ProcessNode> {
  const node = await startProcess(platformFile);
  onTestFinished(async () => void (await node.end('SIGKILL')));
  return node;
}

/** Bytes of the data directory's journals: none are left when LMDB has everything. */
function journals(): string[] {
  return readdirSync(join(dir, 'data', 'journal'));
}

test(
  'SIGTERM under load: what had arrived is answered and kept, exit 0, nothing to replay',
  { timeout: 60_000 },
  async () => {
    const node = await start();
    const headers = await service(node);
    const wires = await Promise.all(Array.from({ length: CALLERS }, () => Wire.open(portOf(node, 'gateway'))));
    const created: string[] = [];
    const submitted: string[] = [];
    let signalled = false;
    let sentBefore = 0;
    let answeredAfter = 0;
    const refused: number[] = [];
    const lost: string[] = [];

    /** Sends one request after the other until the connection ends; a request that left before the signal must be answered. */
    const drive = async (wire: Wire, caller: number): Promise<void> => {
      for (let i = 0; ; i++) {
        const name = `drain-${caller}-${i}`;
        const before = !signalled;
        if (before) sentBefore++;
        wire.send(caller % 2 === 0 ? createText(headers, name) : submitText(name));
        const answer = await wire.answer('POST');
        if (answer === null) {
          if (before) lost.push(name);
          return;
        }
        if (signalled) answeredAfter++;
        const body = JSON.parse(answer.body.toString()) as { id: string };
        if (answer.status === 201) created.push(name);
        else if (answer.status === 200) submitted.push(body.id);
        else refused.push(answer.status);
      }
    };
    const load = wires.map(drive);
    await expect.poll(() => created.length + submitted.length, { timeout: 20_000 }).toBeGreaterThan(500);
    signalled = true;
    expect(await node.end('SIGTERM'), node.stderr()).toBe(0);
    await Promise.all(load);
    console.log(`${sentBefore} sent before SIGTERM, all answered; ${answeredAfter} answered after it`);
    expect(lost).toEqual([]);
    expect(refused).toEqual([]);
    expect(answeredAfter).toBeGreaterThan(0);
    expect(journals()).toEqual([]);

    const again = await start();
    const page = await call(again.listeners['gateway']!, 'GET', '/data/rest/item?limit=10000', await service(again));
    const names = new Set((page.json as { data: { name: string }[] }).data.map((row) => row.name));
    expect(created.filter((name) => !names.has(name))).toEqual([]);
    const ids = new Set(readLog(jsonl).map((line) => line.id));
    expect(submitted.filter((id) => !ids.has(id))).toEqual([]);
    expect(await again.end('SIGTERM')).toBe(0);
  },
);

/** A node that drains and cannot end yet: a caller has sent half of its body. */
async function heldOpen(): Promise<{ node: ProcessNode; slow: Wire; rest: string }> {
  const node = await start();
  const text = createText(await service(node), `slow-${Date.now()}`);
  const slow = await Wire.open(portOf(node, 'gateway'));
  slow.send(text.slice(0, -5));
  const base = node.listeners['operations']!;
  expect((await call(base, 'GET', '/readyz')).text).toBe('ready:true');
  process.kill(node.pid, 'SIGTERM');
  await expect.poll(async () => (await call(base, 'GET', '/readyz')).status, { interval: 5 }).toBe(503);
  return { node, slow, rest: text.slice(-5) };
}

test('while it drains /readyz says 503 and no connection is taken; the slow caller gets its answer', async () => {
  const { node, slow, rest } = await heldOpen();
  const ready = await call(node.listeners['operations']!, 'GET', '/readyz');
  expect([ready.status, ready.text]).toEqual([503, 'ready:false']);
  expect((await call(node.listeners['operations']!, 'GET', '/livez')).text).toBe('live:true');
  // Readiness falls first, and the door closes behind it.
  await expect.poll(() => connected(portOf(node, 'gateway'))).toBe('ECONNREFUSED');
  slow.send(rest);
  const answer = await slow.answer('POST');
  expect(answer?.status).toBe(201);
  expect(answer?.headers['connection']).toBe('close');
  expect(await node.exited).toBe(0);
  expect(journals()).toEqual([]);
});

test('for gateway.drain_notice readiness says 503 on every listener, while connections and submissions are still taken', async () => {
  const noticed = join(dir, 'noticed.yaml');
  writeFileSync(noticed, readFileSync(file, 'utf8').replace('drain_notice: 0s', 'drain_notice: 5s'));
  const node = await start(noticed);
  process.kill(node.pid, 'SIGTERM');
  const statuses = async (): Promise<number[]> => {
    const asked = [
      call(node.listeners['operations']!, 'GET', '/readyz'),
      call(node.listeners['gateway']!, 'GET', '/ready'),
      call(node.listeners['intake']!, 'GET', '/ready'),
    ];
    return (await Promise.all(asked)).map(({ status }) => status);
  };
  await expect.poll(statuses, { interval: 20 }).toEqual([503, 503, 503]);
  const wire = await Wire.open(portOf(node, 'gateway'));
  wire.send(submitText('late'));
  expect((await wire.answer('POST'))?.status).toBe(200);
  wire.end();
  expect(await node.exited).toBe(0);
});

test('a signal in the moment in which the node says that it serves is heard', async () => {
  const preload = new URL('../kit/signal-at-serving.mjs', import.meta.url).href;
  const node = await startProcess(file, { NODE_OPTIONS: `--import=${preload}` });
  onTestFinished(async () => void (await node.end('SIGKILL')));
  expect(await node.exited).toBe(0);
  expect(node.logged()).toContain('"msg":"draining"');
});

test('a second SIGTERM ends at once, and the next start has everything', async () => {
  const { node, slow } = await heldOpen();
  expect(await node.end('SIGTERM')).toBe(1);
  slow.end();
  const again = await start();
  expect((await call(again.listeners['gateway']!, 'GET', '/data/rest/item', await service(again))).status).toBe(200);
  expect(await again.end('SIGINT')).toBe(0);
});

test('SIGHUP starts a new file of the log; the node serves on', async () => {
  const node = await start();
  const submit = (): ReturnType<typeof call> =>
    call(node.listeners['gateway']!, 'POST', '/f/contact', {}, { name: 'n', email: 'a@example.org' });
  expect((await submit()).status).toBe(200);
  const files = logFiles(jsonl).length;
  process.kill(node.pid, 'SIGHUP');
  await expect
    .poll(async () => {
      await submit();
      return logFiles(jsonl).length;
    })
    .toBe(files + 1);
  expect(await node.end('SIGTERM')).toBe(0);
});
