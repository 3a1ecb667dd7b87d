/** Reads and compiles a checkout as it is now, and keeps it as a revision; provisioning and plans begin with that. Runs on a job thread because it takes long. */
import { loadProduct } from '#config/definitions/load-product.ts';
import { renderProblems } from '#config/problem.ts';
import type { JobKinds, LoadedProduct } from '#actors/kit/jobs.ts';
import { archiveCheckout } from './checkout-files.ts';
import { productFaults, renderFaults } from './product-faults.ts';
import { Revisions } from './revisions.ts';
import { webFaults } from './web/web-faults.ts';

const TRIES = 3;

/** The product with its revision, or its problems. A faulty checkout is not kept, and none is where `dataDir` is null. */
export async function readCheckout(wish: JobKinds['product.load']['body']): Promise<LoadedProduct> {
  const { localdir, env, content, dataDir } = wish;
  for (let tries = 0; tries < TRIES; tries++) {
    const archive = dataDir === null ? null : archived(wish);
    const loaded = loadProduct(localdir, { env, content });
    if ('problems' in loaded) return { problems: renderProblems(loaded.problems) };
    const unserved = webFaults(localdir);
    if (unserved !== '') return { problems: unserved };
    if (typeof archive === 'string') return { problems: archive };
    const faults = await productFaults(loaded.product);
    if (faults.length > 0) return { problems: renderFaults(faults) };
    if (dataDir === null || archive === null) return { product: loaded.product, revision: null };
    // A checkout that was edited meanwhile gave a mixture of two states, which must not be served.
    const again = archived(wish);
    if (typeof again === 'string' || !again.equals(archive)) continue;
    const revisions = new Revisions(dataDir);
    const revision = await revisions.keep(archive);
    // The product is loaded back from the archive, so that a file which the archive cannot represent is reported now and not at the tenant's wake.
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
