/** `skep health` beside a real node: before, while and after it serves. Spec: docs/contract/platform.md §1.5. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { skep } from '#test/runtime/cli/recorder.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';

const MEND = 'is the node running? name its operations listener with --url, or its platform file with -f';

test('0 while the node takes requests, 1 while it drains, 1 with what to do when it has ended', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-health-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = writePlatformFile(dir);
  writeFileSync(file, readFileSync(file, 'utf8').replace('drain_notice: 0s', 'drain_notice: 5m'));
  const node = await startProcess(file);
  const line = `health --url ${node.listeners['operations']!}/`;
  expect(await skep(line)).toEqual({ code: 0, out: 'ready:true\n', err: '' });
  const ended = node.end('SIGTERM');
  await expect.poll(() => skep(line)).toEqual({ code: 1, out: 'ready:false\n', err: '' });
  await node.end('SIGTERM'); // the second one ends at once
  await ended;
  const { code, out, err } = await skep(line);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(MEND);
});

test('-f names the listener; a file without one is refused with what to do', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-health-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'platform.yaml');
  writeFileSync(file, 'listeners: { operations: { bind: "0.0.0.0:1" } }\n');
  expect((await skep(`health -f ${file}`)).err).toContain('http://127.0.0.1:1 does not say whether it is ready');
  writeFileSync(file, 'listeners: { operations: false }\n');
  expect((await skep(`health -f ${file}`)).err).toContain('set listeners.operations: true');
});
