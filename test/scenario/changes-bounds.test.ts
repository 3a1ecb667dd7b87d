/**
 * Bounds of the change feed at a real node: a subscriber that takes nothing is told `reset` when it reads again, and the node has kept no more for it
 * than its window; a snapshot has so many rows and no more. docs/contract/changes.md §4.4, §6
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { startTestNode, type Headers } from '#test/kit/test-node.ts';

const KEPT = 20;
const WRITES = 400;
const TITLE = 'x'.repeat(60_000);
/** What the two sockets of a connection and the window hold, with room; a third of what is written. */
const HELD_BYTES_MAX = 8_000_000;

describe.each(['uws', 'node'] as const)('at the door %s', (door) => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-changes-slow-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  test('a reader that stands still gets reset, and little more than was on its way', { timeout: 120_000 }, async () => {
    process.env['SKEP_DOOR'] = door;
    const node = await startTestNode({ localdir: writeNoteProduct(dir, KEPT) });
    delete process.env['SKEP_DOOR'];
    const service = await node.service();
    const socket = connect(Number(new URL(node.gateway).port), '127.0.0.1');
    socket.write(
      `GET /data/changes?entity=note HTTP/1.1\r\nHost: a\r\n${headOf(service)}Accept: text/event-stream\r\n\r\n`,
    );
    const [head] = (await once(socket, 'data')) as [Buffer];
    expect(head.toString()).toContain('HTTP/1.1 200');
    socket.pause();
    for (let no = 0; no < WRITES; no += 20)
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const { status } = await node.call('POST', '/data/rest/note', service, { title: TITLE });
          expect(status).toBe(201);
        }),
      );
    let bytes = 0;
    let last = '';
    socket.on('data', (piece: Buffer) => {
      bytes += piece.length;
      last = (last + piece.toString('latin1')).slice(-500);
    });
    socket.resume();
    await expect.poll(() => last, { timeout: 30_000 }).toMatch(/event: reset\ndata: \{"after":\d+\}/);
    expect(bytes).toBeLessThan(HELD_BYTES_MAX);
    socket.destroy();
    await node.stop();
  });
});

const headOf = (headers: Headers): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

test('a snapshot has so many rows and no more, in a page and in a stream', { timeout: 120_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-changes-rows-'));
  const node = await startTestNode({ localdir: writeNoteProduct(dir) });
  const service = await node.service();
  const most = limits.changes.snapshotRowsMax;
  const lines = Array.from({ length: most }, (_, no) => JSON.stringify({ title: no < 3 ? 'few' : 'many' })).join('\n');
  const imported = await fetch(`${node.gateway}/data/bulk?entity=note&format=jsonl`, {
    method: 'POST',
    headers: service,
    body: lines,
  });
  expect(await imported.json()).toMatchObject({ imported: most });
  const ask = (query: string, accept = 'application/json') =>
    node.call('GET', `/data/changes?entity=note&snapshot=true${query}`, { ...service, Accept: accept });
  expect((await ask('&fields=id')).json).toHaveProperty('rows.length', most);
  expect((await node.call('POST', '/data/rest/note', service, { title: 'one more' })).status).toBe(201);
  for (const accept of ['application/json', 'text/event-stream']) {
    const { status, json } = await ask('', accept);
    const details = expect.objectContaining({ parameter: 'snapshot', most }) as object;
    expect([status, json]).toEqual([422, expect.objectContaining({ code: 'v2.query_failed', details })]);
  }
  expect((await ask('&title=few')).json).toHaveProperty('rows.length', 3);
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
});
