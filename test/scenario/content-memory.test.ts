/**
 * The memory of a real process while an asset is uploaded and downloaded. Moderate by default; SKEP_TEST_ASSET_MB=4096 is the full size
 * of the claim "a 4 GB asset under 100 MB of growth".
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { magazineDirectory, startMagazine, upload } from '#test/kit/magazine.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import type { Headers } from '#test/kit/test-node.ts';

const MEGABYTE = 1024 * 1024;
const MEGABYTES = Number(process.env['SKEP_TEST_ASSET_MB'] ?? 256);
const GROWTH_MAX = 100 * MEGABYTE;
const BOUNDARY = 'asset-boundary';

const dir = mkdtempSync(join(tmpdir(), 'skep-asset-memory-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Memory of the process's own, without LMDB's map and the page cache, which the system takes back when it needs them. */
function ownBytes(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;
}

/** Pieces that differ from one another. */
function pieceOf(no: number, seed: Buffer): Buffer {
  seed.writeUInt32BE(no);
  return Buffer.from(seed);
}

async function send(url: string, headers: Headers, each: (piece: Buffer) => void): Promise<{ id: string }> {
  const type = `multipart/form-data; boundary=${BOUNDARY}`;
  const sent = request(url, { method: 'POST', headers: { ...headers, 'Content-Type': type } });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n`);
  const seed = Buffer.alloc(MEGABYTE, 'skep');
  for (let no = 0; no < MEGABYTES; no++) {
    const piece = pieceOf(no, seed);
    each(piece);
    if (!sent.write(piece)) await once(sent, 'drain');
  }
  sent.end(`\r\n--${BOUNDARY}--\r\n`);
  const [answer] = await answered;
  const body = await text(answer);
  expect([answer.statusCode, body]).toMatchObject([201, expect.any(String)]);
  return JSON.parse(body) as { id: string };
}

test(
  `an upload and a download of ${MEGABYTES} MB grow the process by less than 100 MB`,
  { timeout: 30 * 60_000 },
  async () => {
    const prepared = await startMagazine({ dir });
    const editor = await prepared.service();
    await prepared.stop();
    const node = await startProcess(writePlatformFile(dir, { localdir: magazineDirectory }));
    try {
      const store = `${node.listeners['gateway']!}/store/media/asset`;
      const warm = (await upload(store, editor, 'warm')).json as { id: string };
      await (await fetch(`${store}/${warm.id}/download`, { headers: editor })).text();
      const hash = createHash('sha256');
      const before = ownBytes(node.pid);
      let most = before;
      const { id } = await send(store, editor, (piece) => {
        hash.update(piece);
        most = Math.max(most, ownBytes(node.pid));
      });
      const sha256 = hash.digest('hex');
      const uploaded = most - before;
      const then = ownBytes(node.pid);
      most = then;
      const answer = await fetch(`${store}/${id}/download`, { headers: editor });
      const received = createHash('sha256');
      let bytes = 0;
      let looked = 0;
      for await (const piece of answer.body!) {
        received.update(piece);
        bytes += piece.byteLength;
        if (bytes - looked < MEGABYTE) continue;
        looked = bytes;
        most = Math.max(most, ownBytes(node.pid));
      }
      expect([bytes, received.digest('hex')]).toEqual([MEGABYTES * MEGABYTE, sha256]);
      const shown = [uploaded, most - then].map((grown) => Math.round(grown / MEGABYTE)).join(' and ');
      process.stdout.write(`${MEGABYTES} MB: upload and download grew it by ${shown} MB\n`);
      expect(uploaded).toBeLessThan(GROWTH_MAX);
      expect(most - then).toBeLessThan(GROWTH_MAX);
    } finally {
      await node.end('SIGTERM');
    }
  },
);
