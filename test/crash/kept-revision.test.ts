/** kill -9 while a tenant takes another revision of its product: it wakes with the one or the other, whole, and takes the new one when asked again. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startNode, type Node } from '#runtime/node.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { platformOf } from '#test/kit/platform-of.ts';
import { tally } from '#test/kit/tally.ts';
import { call, positionHeaders } from '#test/kit/test-node.ts';
import { writeVillage } from '#test/kit/village.ts';

const child = fileURLToPath(new URL('./provisioning-child.ts', import.meta.url));
/** No step is this far on: the child goes on until it has provisioned. */
const NEVER = 99;
const HUNTS_MAX = 10;
const LIMIT = { timeout: 120_000 };

const dir = mkdtempSync(join(tmpdir(), 'skep-kept-crash-'));
const product = writeVillage(join(dir, 'product'));
const file = writePlatformFile(dir, { localdir: product });
const data = join(dir, 'data');
/** The data directory of a tenant that serves its first revision: every kill begins with a copy. */
const seed = join(dir, 'seed');
afterAll(() => rmSync(dir, { recursive: true, force: true }));

beforeAll(async () => {
  const node = await startNode(platformOf(file));
  await node.provision(TENANT);
  await node.stop();
  cpSync(data, seed, { recursive: true });
  const path = join(product, 'endpoints', 'count.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace('const towns = 1', 'const towns = 2'));
}, 60_000);

function names(...path: string[]): string[] {
  const directory = join(data, 'revisions', ...path);
  return existsSync(directory) ? readdirSync(directory) : [];
}
const kept = (): number =>
  names()
    .filter((name) => name.length === 2)
    .flatMap((name) => names(name)).length;

/** Provisions in another process, which is killed at its nth step, or as soon as `when` says so; how it ended. */
async function provisioned(n: number, when: () => boolean): Promise<string | number | null> {
  rmSync(data, { recursive: true });
  cpSync(seed, data, { recursive: true });
  const running = spawn(process.execPath, [child, file, TENANT, String(n)], { stdio: 'inherit' });
  const ended = new Promise<string | number | null>((resolve) => {
    running.on('exit', (code, signal) => resolve(signal ?? code));
  });
  while (running.exitCode === null && running.signalCode === null) {
    if (when()) running.kill('SIGKILL');
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
  if ((await ended) === 'SIGKILL') tally({ kills: 1 });
  return ended;
}

async function towns(node: Node): Promise<number> {
  const answer = await call(node.listeners['gateway']!, 'GET', '/data/x/count', positionHeaders(TENANT));
  expect(answer.status, answer.text).toBe(200);
  return (answer.json as { towns: number }).towns;
}

const MOMENTS: readonly (readonly [string, number, () => boolean, readonly number[]])[] = [
  ['before anything is kept', 2, () => false, [1]],
  ['while the archive is written', NEVER, () => names('uploads').length > 0, [1, 2]],
  ['as soon as the archive has its name', NEVER, () => kept() > 1, [1, 2]],
  ['behind the record', 3, () => false, [2]],
];

/** A moment that lies between two looks is hunted again. */
async function killedAt(n: number, when: () => boolean): Promise<void> {
  for (let hunt = 1; (await provisioned(n, when)) !== 'SIGKILL'; hunt++) expect(hunt).toBeLessThan(HUNTS_MAX);
}

test.each(MOMENTS)('killed %s', LIMIT, async (_, n, when, served) => {
  await killedAt(n, when);
  const node = await startNode(platformOf(file));
  onTestFinished(() => node.stop());
  expect(served).toContain(await towns(node));
  expect((await node.provision(TENANT)).state).toBe('active');
  expect(await towns(node)).toBe(2);
  expect(kept()).toBe(2);
});
