/** A checkout as it is now, read, compiled and kept as a revision: what provisioning and plans begin with. On a job thread: it takes long. */
import { loadProduct } from '#config/definitions/load-product.ts';
import { renderProblems } from '#config/problem.ts';
import type { JobKinds, LoadedProduct } from '#actors/kit/jobs.ts';
import { archiveCheckout } from './checkout-files.ts';
import { productFaults, renderFaults } from './product-faults.ts';
import { Revisions } from './revisions.ts';

const TRIES = 3;

/** Nothing is kept of a checkout that is faulty, or where `dataDir` is null. */
export async function readCheckout(wish: JobKinds['product.load']['body']): Promise<LoadedProduct> {
  const { localdir, env, content, dataDir } = wish;
  for (let tries = 0; tries < TRIES; tries++) {
    const archive = dataDir === null ? null : archived(wish);
    const loaded = loadProduct(localdir, { env, content });
    if ('problems' in loaded) return { problems: renderProblems(loaded.problems) };
    if (typeof archive === 'string') return { problems: archive };
    const faults = await productFaults(loaded.product);
    if (faults.length > 0) return { problems: renderFaults(faults) };
    if (dataDir === null || archive === null) return { product: loaded.product, revision: null };
    // What is edited while it is read must not be served as it never was.
    const again = archived(wish);
    if (typeof again === 'string' || !again.equals(archive)) continue;
    const revisions = new Revisions(dataDir);
    const revision = await revisions.keep(archive);
    // What the tenant would wake with: a file that no archive holds as it is must be told now.
    const { product, problem } = await revisions.load(revision, localdir, content, env);
    return problem === null ? { product, revision } : { problems: `${problem}\n` };
  }
  return { problems: `${localdir} changes while it is read: wait until that has ended, then try again\n` };
}

function archived({ localdir, content }: JobKinds['product.load']['body']): Buffer | string {
  try {
    return archiveCheckout(localdir, content);
  } catch (error) {
    return `${(error as Error).message}\n`;
  }
}
