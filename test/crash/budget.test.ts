/** A thread that keeps dying ends the node with exit code 70: the supervisor of the process starts it anew (ARCHITECTURE.md, "Threads"). */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CHILDREN } from '#runtime/supervisor/children.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';

const child = fileURLToPath(new URL('./killing-child.ts', import.meta.url));

test('a spent restart budget: exit 70, and the next start serves', { timeout: 240_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-budget-'));
  const file = writePlatformFile(dir);
  const node = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', child, file]);
  let [kills, said] = ['', ''];
  node.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  node.stdout.setEncoding('utf8').on('data', (text: string) => (kills += text));
  const how = await new Promise((resolve) => node.on('close', (code, signal) => resolve(signal ?? code)));
  expect(how, said).toBe(70);
  const { max } = CHILDREN.find((row) => row.name === 'tenant-host')!.restarts;
  // On a machine that is slow the first ones are out of the budget's window by the last: then it takes more of them (budget.ts counts exactly, by a simulated clock).
  expect(kills.trim().split('\n').length).toBeGreaterThan(max);
  const again = await startProcess(file);
  expect(await again.end('SIGTERM')).toBe(0);
  rmSync(dir, { recursive: true, force: true });
});
