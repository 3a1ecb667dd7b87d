/** A directory with a provisioned tenant, and the users and services that call it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import { startKillable } from './killable-node.ts';
import { PASSWORD, World, type Caller } from './world.ts';

interface Wish {
  readonly users: readonly string[];
  readonly services: readonly string[];
  /** Instead of the product.yaml of the notes. */
  readonly product?: string;
}

/** Starts the node that is to be killed. `start` starts it again. */
export async function prepared({ users, services, product }: Wish) {
  const dir = mkdtempSync(join(tmpdir(), 'skep-live-kills-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const localdir = writeNoteProduct(dir, 100_000);
  if (product !== undefined) writeFileSync(join(localdir, 'product.yaml'), product);
  const wish = { localdir, dir };
  const node = await startTestNode(wish);
  const callers: Caller[] = [];
  for (const name of users) {
    const person = { email: `${name}@example.org`, password: PASSWORD, roles: ['tenant_user'] };
    const { id } = (await node.node.ask(TENANT, 'identity', 'person.ensure', person)) as { id: string };
    callers.push({ name, subject: id, key: null });
  }
  for (const name of services) {
    const issued = { service: name, capabilities: { scope: ['acme:dev:shop:main'] } };
    const { key } = (await node.node.ask(TENANT, 'identity', 'key.issue', issued)) as { key: string };
    callers.push({ name, subject: null, key });
  }
  await node.stop();
  const file = writePlatformFile(dir, wish);
  const start = () => startKillable(file);
  const world = new World(callers, await start());
  await world.enter(world.node);
  return { world, start, dataDir: node.platform.storage.dir };
}
