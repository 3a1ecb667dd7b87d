/** A node that is killed in the middle of a backup leaves no set or a whole one. Contract: docs/contract/platform.md §5. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { assertSound } from '#test/kit/sound.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const filesIn = (directory: string): string[] =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
    : [];

test('killed at the first part, in the middle and at the last', { timeout: 120_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-backup-crash-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const place = join(dir, 'backups');
  mkdirSync(place);
  const extra = `audit: { enabled: true }\nbackups: { to: ${place} }\n`;
  const it = await startTestNode({ dir, extra });
  for (let i = 0; i < 50; i++) await it.call('POST', '/data/rest/item', await it.service(), { name: `row-${i}` });
  await it.stop();
  const file = writePlatformFile(dir, { extra });
  const parts = join(place, 'parts');
  for (const more of [1, 8, 20]) {
    const before = filesIn(parts).length;
    const sets = filesIn(join(place, 'sets')).length;
    const node = await startProcess(file);
    const backup = skep(`backup now -f ${file}`);
    const end = backup.then(() => true);
    const isEnded = (): Promise<boolean> => Promise.race([end, passed(1, false)]);
    while (filesIn(parts).length < before + more && !(await isEnded()));
    await node.end('SIGKILL');
    await backup.catch(() => undefined);
    const now = filesIn(join(place, 'sets'));
    expect(now.length - sets).toBeLessThanOrEqual(1);
    for (const name of now) {
      expect(name).toMatch(/Z\.json$/);
      const into = join(dir, 'restored');
      const { code, err } = await skep(
        `backup restore --from ${place} --set ${name.replace('.json', '')} --into ${into}`,
      );
      expect(code, err).toBe(0);
      await assertSound(into);
      rmSync(into, { recursive: true });
    }
  }
  // What a killed one left is of use to the next, which is whole.
  const { code, err, out } = await skep(`backup now -f ${file} -o json`);
  expect(code, err).toBe(0);
  expect((JSON.parse(out) as { new_bytes: number; bytes: number }).new_bytes).toBeGreaterThan(0);
  expect((await skep(`backup verify -f ${file}`)).code).toBe(0);
});
