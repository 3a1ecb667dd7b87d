/** The files of the folder `web` in a kept revision: where their bytes lie in its archive. Runs on a job thread, since it reads the whole archive. */
import { hash } from 'node:crypto';
import type { JobKinds, KeptFile } from '#actors/kit/jobs.ts';
import { placesOf } from '#runtime/product-archive.ts';
import { Revisions } from '#runtime/revisions.ts';
import { WEB } from './list-web.ts';

/** Throws where the revision is missing or damaged: its digest is held against its bytes here. */
export async function webIndex({ dataDir, revision }: JobKinds['web.index']['body']): Promise<readonly KeptFile[]> {
  const archive = await new Revisions(dataDir).read(revision);
  return placesOf(archive)
    .filter(({ path }) => path.startsWith(`${WEB}/`))
    .map(({ path, at, bytes }) => ({
      name: path.slice(WEB.length),
      at,
      size: bytes.length,
      sha256: hash('sha256', bytes),
    }));
}
