/**
 * The memory of a real process while rows stream through it. Moderate by default; SKEP_TEST_IMPORT_MB=1024 is the full size
 * of the claim "1 GB under 300 MB of growth".
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { startTestNode } from '#test/kit/test-node.ts';

const MEGABYTES = Number(process.env['SKEP_TEST_IMPORT_MB'] ?? 48);
const GROWTH_MAX = 300 * 1024 * 1024;

const dir = mkdtempSync(join(tmpdir(), 'skep-bulk-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Memory of the process's own. LMDB's map is left out: its pages are the file's, and the system takes them back when it needs them. */
function ownBytes(pid: number): number {
  const match = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match![1]) * 1024;
}

/** `megabytes` of rows, made as they are read. */
function rowStream(megabytes: number, told: (bytes: number) => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const note = 'n'.repeat(900);
  let sent = 0;
  let no = 0;
  return new ReadableStream({
    pull(controller) {
      let text = '';
      for (let i = 0; i < 64; i++, no++) text += `{"id":"g${no}","title":"generated ${no}","note":"${note}"}\n`;
      const bytes = encoder.encode(text);
      sent += bytes.byteLength;
      told(sent);
      controller.enqueue(bytes);
      if (sent >= megabytes * 1024 * 1024) controller.close();
    },
  });
}

test(
  `an import and an export of ${MEGABYTES} MB grow the process by less than 300 MB`,
  { timeout: 30 * 60_000 },
  async () => {
    const prepared = await startTestNode({ dir });
    const bearer = await prepared.service();
    await prepared.stop();
    const node = await startProcess(writePlatformFile(dir));
    try {
      const base = node.listeners['gateway']!;
      const url = `${base}/data/bulk?entity=paper&format=jsonl`;
      await fetch(url, { method: 'POST', headers: bearer, body: '{"id":"warm","title":"warm"}' });
      const before = ownBytes(node.pid);
      let most = 0;
      let looked = 0;
      const look = (bytes: number): void => {
        if (Math.abs(bytes - looked) < 1_000_000) return;
        looked = bytes;
        most = Math.max(most, ownBytes(node.pid));
      };
      let total = 0;
      const body = rowStream(MEGABYTES, (bytes) => look((total = bytes)));
      const init = { method: 'POST', headers: bearer, body, duplex: 'half' };
      const answer = await fetch(url, init as RequestInit);
      expect(answer.status).toBe(200);
      const { imported, errors } = (await answer.json()) as { imported: number; errors: unknown[] };
      expect(errors).toEqual([]);
      const grew = most - before;
      expect(grew).toBeLessThan(GROWTH_MAX);

      const then = ownBytes(node.pid);
      most = then;
      const exported = await fetch(`${url}&limit=100000000`, { method: 'PATCH', headers: bearer });
      let bytes = 0;
      let rows = 0;
      for await (const piece of exported.body!) {
        bytes += piece.byteLength;
        for (const byte of piece) if (byte === 10) rows++;
        look(bytes);
      }
      expect(rows).toBe(imported + 1);
      expect(bytes).toBeGreaterThan(total);
      const shown = [grew, most - then].map((grown) => Math.round(grown / 1024 / 1024)).join(' and ');
      process.stdout.write(`${MEGABYTES} MB, ${imported} rows: import and export grew it by ${shown} MB\n`);
      expect(most - then).toBeLessThan(GROWTH_MAX);
    } finally {
      await node.end('SIGTERM');
    }
  },
);
