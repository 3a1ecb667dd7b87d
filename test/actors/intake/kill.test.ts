/** `kill -9` under load, again and again on one data directory. Rounds: test/kit/rounds.ts. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '#actors/kit/clock.ts';
import { openStore } from '#actors/intake/store.ts';
import { openEnvironment } from '#storage/environment.ts';
import { openDirectory } from '#storage/log/directory.ts';
import { KILLED_CHILD } from './killed-child.ts';
import { submissionsInDatabase, submissionsInLog } from './kit.ts';
import { rounds } from '#test/kit/rounds.ts';

const ROUNDS = rounds({ suite: 3, ci: 5 });
const path = mkdtempSync(join(tmpdir(), 'skep-intake-kill-'));
afterAll(() => rmSync(path, { recursive: true }));

const fatal = (error: Error) => {
  throw error;
};

/** Starts the child, kills it when it has acknowledged `acknowledgements`, and gives their ids. */
function killAfter(acknowledgements: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [KILLED_CHILD, path], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.length >= acknowledgements * 27) child.kill('SIGKILL');
    });
    child.on('close', (code, signal) =>
      signal === 'SIGKILL'
        ? resolve(text.split('\n').slice(0, -1))
        : reject(new Error(`child ended (${code}): ${errors}`)),
    );
  });
}

/** Opens the store as a start does, so that the log's tail is cut and the database catches up. */
async function recover(): Promise<number> {
  const settings = { backend: 'embedded', walJsonl: true, jsonlRotate: 'daily' } as const;
  const store = await openStore(
    { ...settings, embeddedPath: join(path, 'db'), jsonlDir: join(path, 'log') },
    systemClock,
    { onFatal: fatal },
  );
  await store.close();
  return store.replayed;
}

test(
  `${ROUNDS} rounds: every acknowledged submission is in the log and in the database, once`,
  { timeout: ROUNDS * 10_000 },
  async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      acknowledged.push(...(await killAfter(1 + Math.floor(Math.random() * 500))));
      await recover();
      const log = (await submissionsInLog(openDirectory(join(path, 'log')))).map((submission) => submission.id);
      const database = openEnvironment(join(path, 'db'), { onFatal: fatal });
      const stored = submissionsInDatabase(database).map((submission) => submission.id);
      await database.close();
      expect(log.toSorted()).toEqual(log);
      expect(stored).toEqual(log);
      expect(new Set(log).size).toBe(log.length);
      const found = new Set(log);
      expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
      expect(log.length).toBeGreaterThanOrEqual(acknowledged.length);
    }
  },
);
