/**
 * A real disk that fills up: what the node accepts never takes more than there is, so that no write ends it, and a node that finds the disk full
 * starts, reads and deletes.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { canMount, mountSmallDisk, type SmallDisk } from '#test/kit/small-disk.ts';
import { call, exchange, positionHeaders, startTestNode, type Answer, type Headers } from '#test/kit/test-node.ts';

const DISK_MIB = 72;
const FREE_BYTES_MIN = 8 * 2 ** 20;
const WRITERS = 24;
const NOTE = 'x'.repeat(50_000);

describe.skipIf(!canMount())('a disk that fills up', () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-small-disk-'));
  let disk: SmallDisk;
  let file: string;
  let key: string;
  let node: ProcessNode;
  let headers: Headers;

  beforeAll(async () => {
    const prepared = await startTestNode({ dir });
    key = prepared.serviceKey;
    await prepared.stop();
    disk = await mountSmallDisk(join(dir, 'small'), DISK_MIB);
    cpSync(join(dir, 'data'), disk.outside, { recursive: true });
    file = writePlatformFile(dir);
    const bounds = `free_bytes_min: ${FREE_BYTES_MIN}, ballast_bytes: 8388608`;
    const text = readFileSync(file, 'utf8')
      .replace(join(dir, 'data'), join(dir, 'small'))
      .replace('free_bytes_min: 0, ballast_bytes: 0', bounds);
    writeFileSync(file, text);
  }, 120_000);
  afterAll(async () => {
    await node?.end('SIGKILL');
    await disk?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    node = await startProcess(file, {}, disk.wrapper);
    const token = await exchange(node.listeners['gateway']!, key);
    headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${token}` };
  }

  const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
    call(node.listeners['gateway']!, method, path, headers, body);
  const create = (id: string): Promise<Answer> =>
    ask('POST', '/data/rest/paper', { id, title: `title ${id}`, note: NOTE });
  const filler = join(dir, 'small', 'filler');
  /** Takes all that is left but so many bytes. */
  const fill = (leaving: number): void => {
    disk.run(`cat /dev/zero > ${filler} 2>/dev/null || true; truncate -s -${leaving} ${filler}`);
  };
  const acknowledged: string[] = [];

  test('callers that write as fast as they can are refused in time: the node goes on, and all that was acknowledged is there', async () => {
    await start();
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let no = 0; ; no++) {
        const id = `${writer}-${no}`;
        const { status, text } = await create(id);
        if (status === 201) acknowledged.push(id);
        else {
          expect([status, text]).toEqual([500, expect.stringContaining('storage.free_bytes_min')]);
          return;
        }
      }
    });
    await Promise.all(writers);
    expect((await call(node.listeners['operations']!, 'GET', '/livez')).status).toBe(200);
    expect(acknowledged.length).toBeGreaterThan(50);
    for (const id of acknowledged) expect((await ask('GET', `/data/rest/paper/id/${id}`)).status).toBe(200);
  }, 120_000);

  test('a node that was killed starts on a disk without one free byte, reads, deletes, and refuses other writes', async () => {
    await node.end('SIGKILL');
    fill(0);
    expect(disk.run(`df --output=avail ${join(dir, 'small')} | tail -1`).trim()).toBe('0');
    await start();
    expect(node.logged()).toContain('the disk is full at the start');
    const [first, second] = acknowledged as [string, string];
    expect((await ask('GET', `/data/rest/paper/id/${second}`)).status).toBe(200);
    fill(FREE_BYTES_MIN - 2 ** 20); // the journals that it has replayed have given room back
    await expect.poll(async () => (await create(`no-room-${performance.now()}`)).status, { timeout: 10_000 }).toBe(500);
    const gone = await ask('DELETE', `/data/rest/paper/id/${first}`);
    expect([gone.status, gone.text]).toEqual([200, expect.anything()]);
    expect((await ask('GET', `/data/rest/paper/id/${first}`)).status).toBe(404);
  }, 120_000);

  test('after another kill, with nothing left to give up, it says what is wanted; with two megabytes it starts, and takes writes once there is room', async () => {
    await node.end('SIGKILL');
    disk.run(`find ${join(dir, 'small')} -name '*.spare' -delete`); // what the node may have made ready meanwhile
    fill(0);
    await expect(start()).rejects.toThrow(`the disk of ${join(dir, 'small')} is full`);
    fill(2 * 2 ** 20);
    await start();
    expect((await ask('GET', `/data/rest/paper/id/${acknowledged[0]!}`)).status).toBe(404);
    expect((await ask('GET', `/data/rest/paper/id/${acknowledged[1]!}`)).status).toBe(200);
    disk.run(`rm ${filler}`);
    await expect.poll(async () => (await create(`room-${performance.now()}`)).status, { timeout: 20_000 }).toBe(201);
  }, 120_000);

  test('a file that would take what rows need is refused, and the node goes on', async () => {
    const bytes = new Uint8Array(1024 * 1024);
    let refused: Response | null = null;
    for (let no = 0; no < DISK_MIB && refused === null; no++) {
      const form = new FormData();
      form.set('id', `file-${no}`);
      form.set('title', `file ${no}`);
      form.set('scan', new Blob([bytes.fill(no + 1)], { type: 'application/octet-stream' }), 'scan.bin');
      const answer = await fetch(`${node.listeners['gateway']!}/data/rest/paper`, {
        method: 'POST',
        headers,
        body: form,
      });
      if (answer.status !== 201) refused = answer;
    }
    expect([refused?.status, await refused?.text()]).toEqual([500, expect.stringContaining('storage.free_bytes_min')]);
    const free = Number(disk.run(`df --output=avail -B1 ${join(dir, 'small')} | tail -1`));
    expect(free).toBeGreaterThan(FREE_BYTES_MIN / 2);
    expect((await ask('GET', `/data/rest/paper/id/${acknowledged[1]!}`)).status).toBe(200);
    expect(await node.end('SIGTERM')).toBe(0);
  }, 120_000);
});
