/** Verifies one segment's file alone, with its manifest beside it where it was sealed. */
import { dirname, join } from 'node:path';
import { Fringe } from '../fringe.ts';
import { readOnlyFiles } from '../files.ts';
import { segmentFirst } from '../manifest.ts';
import { readCheckpoint } from '../checkpoint.ts';
import { manifestPath, readManifest } from '../manifest.ts';
import { readSegmentAlone } from './read-segments.ts';
import { Tampered, base64 } from './report.ts';
import type { Tampering, VerifyReport } from './report.ts';
import { Sequences } from './sequences.ts';
import type { Trust } from './trust.ts';

/** The report on `<log>/segments/<first>.log`; without a manifest nothing of it is signed, and it is incomplete. */
export async function verifySegment(path: string, trust: Trust): Promise<VerifyReport> {
  const reader = readOnlyFiles(join(dirname(path), '..'));
  const first = segmentFirst(`segments/${path.slice(path.lastIndexOf('/') + 1)}`);
  const sequences = new Sequences();
  const fringe = first === 0 ? new Fringe() : null;
  const missing: string[] = [];
  let tampered: Tampering | null = null;
  let records = 0;
  try {
    if (first === null) throw new Tampered({ file: path, what: 'is not named as a segment is' });
    const expectRoot = (size: number, root: string, file: string): void => {
      roots.push({ size, root, file });
    };
    const roots: { size: number; root: string; file: string }[] = [];
    for await (const { entry, leaf, index, file } of readSegmentAlone(
      { reader, trust, signed: 0, expectRoot, missing },
      first,
    )) {
      if (entry !== null) sequences.see(entry, index, file);
      fringe?.push(leaf, () => undefined);
      records++;
    }
    if (roots.length === 0) missing.push(manifestPath(first));
    for (const { size, root, file } of roots)
      if (fringe?.size === size && base64(fringe.root()) !== root)
        throw new Tampered({
          file,
          index: size - 1,
          what: 'its root is not that of the records',
          expected: root,
          actual: base64(fringe.root()),
        });
  } catch (error) {
    if (!(error instanceof Tampered)) throw error;
    tampered = error.finding;
  }
  const manifest = readManifest(((await reader.read(manifestPath(first ?? 0))) ?? '').toString());
  return {
    verdict: tampered !== null ? 'tampered' : missing.length > 0 ? 'incomplete' : 'good',
    mode: 'segment',
    origin: readCheckpoint(Buffer.from(manifest?.checkpoint ?? ''))?.origin ?? '',
    size: manifest?.size ?? 0,
    root: manifest?.root ?? '',
    records,
    unsigned: manifest === null ? records : 0,
    pruned: 0,
    gaps: sequences.gaps,
    missing,
    tampered,
  };
}
