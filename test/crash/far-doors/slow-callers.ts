/** Callers of a far door who take nothing of their answers, and those who leave in the middle: the node that serves holds a window of each and no more, and forgets them. */
import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { call, type Headers } from '#test/kit/test-node.ts';
import { metricOf, type FarWorld } from './world.ts';

const SOON = { timeout: 20_000 };
/** More than the buffers of both ends of a connection take. */
const FILE_BYTES = 24 * 1024 * 1024;
const READERS = 6;
const STILL_LOOKS = 12;
const LOOK_MS = 50;

const digest = (of: Uint8Array): string => createHash('sha256').update(of).digest('hex');

/** A request's head on a connection of its own. */
function begin(door: string, line: string, headers: Headers): Socket {
  const socket = connect(Number(new URL(door).port), '127.0.0.1');
  const lines = Object.entries({ Host: 'far', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => undefined);
  socket.write(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return socket;
}

/** Resolves with a count when it has not moved for a while. */
async function still(count: () => number): Promise<number> {
  let last = -1;
  for (let looks = 0; looks < STILL_LOOKS; looks++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    if (count() === last) continue;
    last = count();
    looks = 0;
  }
  return last;
}

export function slowCallers(on: () => FarWorld): void {
  /** At the far door, and at the node that serves. */
  const underWay = (): Promise<(number | null)[]> => {
    const [near, far] = on().pair.machines;
    return Promise.all([metricOf(far, 'skep_link_requests_sent'), metricOf(near, 'skep_link_requests_taken')]);
  };

  describe('slow callers', () => {
    test('those who take nothing stop what is sent to them, others go on beside them, and one who reads again has all', async () => {
      const { far, headers, near, proxy } = on();
      await expect.poll(underWay, SOON).toEqual([0, 0]);
      const bytes = randomBytes(FILE_BYTES);
      const form = new FormData();
      form.append('id', 'a-long-scan');
      form.append('title', 'a long scan');
      form.append('scan', new File([bytes], 'scan.bin'));
      const made = await fetch(`${near}/data/rest/paper`, { method: 'POST', headers, body: form });
      expect(made.status, await made.text()).toBe(201);
      const before = proxy.bytesBack;
      const line = 'GET /data/rest/paper/id/a-long-scan?download=true&field=scan';
      const readers = Array.from({ length: READERS }, () => begin(far, line, headers));
      await expect.poll(underWay, SOON).toEqual([READERS, READERS]);
      const crossed = (await still(() => proxy.bytesBack)) - before;
      expect(crossed).toBeLessThan((READERS * FILE_BYTES) / 2);
      expect(await underWay()).toEqual([READERS, READERS]);
      for (const door of [near, far])
        expect((await call(door, 'GET', '/data/rest/item?limit=1', headers)).status).toBe(200);
      const [one, ...others] = readers;
      const got: Buffer[] = [];
      let count = 0;
      one!.on('data', (piece: Buffer) => {
        got.push(piece);
        count += piece.length;
      });
      const headBytes = (): number => Buffer.concat(got.slice(0, 9)).indexOf('\r\n\r\n') + 4;
      await expect.poll(() => count - headBytes(), SOON).toBe(FILE_BYTES);
      expect(digest(Buffer.concat(got).subarray(headBytes()))).toBe(digest(bytes));
      for (const socket of others) socket.destroy();
      await expect.poll(underWay, SOON).toEqual([0, 0]);
      one!.destroy();
    });

    test('one who goes away in the middle of an upload leaves nothing', async () => {
      const { far, headers } = on();
      await expect.poll(underWay, SOON).toEqual([0, 0]);
      const type = { 'Content-Type': 'multipart/form-data; boundary=cut', 'Content-Length': String(FILE_BYTES) };
      const socket = begin(far, 'POST /data/rest/paper', { ...headers, ...type });
      socket.write('--cut\r\nContent-Disposition: form-data; name="title"\r\n\r\ngone\r\n');
      socket.write('--cut\r\nContent-Disposition: form-data; name="scan"; filename="scan.bin"\r\n\r\n');
      socket.write(randomBytes(FILE_BYTES / 8));
      await expect.poll(underWay, SOON).toEqual([1, 1]);
      socket.destroy();
      await expect.poll(underWay, SOON).toEqual([0, 0]);
      const found = await call(far, 'GET', '/data/rest/paper?title=gone', headers);
      expect([found.status, (found.json as { data: unknown[] }).data]).toEqual([200, []]);
    });
  });
}
