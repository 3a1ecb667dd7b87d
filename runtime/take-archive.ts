/**
 * Takes the archive of a product that a deploy sent (docs/contract/platform.md §1.10): bounded, unpacked beside the revisions, checked as a
 * checkout is, and kept under its digest. Runs on a job thread because it takes long. What is refused leaves nothing behind.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ContentSource } from '#config/definitions/content/load-content.ts';
import type { Environment } from '#config/env.ts';
import type { JobKinds, TakenProduct } from '#actors/kit/jobs.ts';
import { readArchive, type ArchiveFile } from './product-archive.ts';
import { readCheckout } from './read-checkout.ts';
import { contentIn, LOADING } from './revisions.ts';

type Wish = JobKinds['product.take']['body'];

/** The revision, or what is wrong with the archive or the product in it. */
export async function takeArchive(wish: Wish): Promise<TakenProduct> {
  const folder = join(wish.dataDir, LOADING, randomUUID());
  try {
    const files = readArchive(Buffer.from(wish.archive));
    unpack(files, folder);
    return await taken(wish, folder, files.length);
  } catch (error) {
    return { problems: `${(error as Error).message.replaceAll(`${folder}/`, '')}\n` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function taken({ localdir, env, content, dataDir }: Wish, folder: string, files: number): Promise<TakenProduct> {
  const here = contentIn(folder, localdir, content);
  const known = variablesOf(localdir, env, content);
  const allowed = Object.fromEntries(Object.entries(env).filter(([name]) => known.has(name)));
  const read = await readCheckout({ localdir: folder, env: allowed, content: here, dataDir });
  if ('problems' in read) {
    const foreign = [...variablesOf(folder, allowed, here)].filter((name) => !known.has(name));
    const said = foreign.map((name) => `\${${name}}: ${FOREIGN}\n`).join('');
    return { problems: read.problems.replaceAll(`${folder}/`, '') + said };
  }
  return { revision: read.revision!, name: read.product.name, files };
}

/** A deploy must not read the secrets of other products out of the node's environment. */
const FOREIGN =
  'a deployed product may read the variables that its checkout on the node reads, and no other: an operator adds it there first';

/** The variables that a product reads, found or not; also of one that has other faults. */
function variablesOf(localdir: string, env: Environment, content: ContentSource): ReadonlySet<string> {
  const asked = new Set<string>();
  const noted = new Proxy(env, {
    getOwnPropertyDescriptor(target, name) {
      if (typeof name === 'string') asked.add(name);
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
  });
  loadProduct(localdir, { env: noted, content });
  return asked;
}

function unpack(files: readonly ArchiveFile[], folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { path, bytes } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, path), bytes, { flag: 'wx', mode: 0o600 });
  }
}
