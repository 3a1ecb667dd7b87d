/**
 * Verifies one segment's file with its manifest and the tiles of its log beside it:
 *
 *   tiles before it ─▶ its records ─▶ the manifest's root ─ consistency, out of tiles ─▶ the root that the checkpoint signs
 *
 * The manifest itself is not signed, so that it agrees with the segment shows nothing yet. Nor are the tiles: but no others lead there.
 */
import { basename, dirname, join } from 'node:path';
import { Corruption } from '../../fault.ts';
import { readCheckpoint, type Checkpoint } from '../checkpoint.ts';
import { readOnlyFiles, type ReadOnlyFiles } from '../files.ts';
import { HashReader, TileMissing } from '../hash-reader.ts';
import { manifestPath, readManifest, segmentFirst, segmentPath, type Manifest } from '../manifest.ts';
import { PACKED } from '../packed.ts';
import { verifyConsistency } from '../proof.ts';
import { readFringe } from '../read-fringe.ts';
import { readSegmentAlone } from './read-segments.ts';
import { Tampered, base64, type Tampering, type VerifyReport } from './report.ts';
import { Sequences } from './sequences.ts';
import { aloneWith, signersOf, type Signers, type Trust } from './trust.ts';

/** The report on `<log>/segments/<first>.log`, which may be named as it lies packed; where manifest or tiles are absent nothing leads to a signature, and it is incomplete. */
export async function verifySegment(path: string, trust: Trust): Promise<VerifyReport> {
  const files = readOnlyFiles(join(dirname(path), '..'));
  const first = segmentFirst(`segments/${basename(path, PACKED)}`);
  const run = new SegmentRun(files, trust);
  let tampered: Tampering | null = null;
  try {
    if (first === null) throw new Tampered({ file: path, what: 'is not named as a segment is' });
    await run.all(first);
  } catch (error) {
    if (!(error instanceof Tampered)) throw error;
    tampered = error.finding;
  }
  return run.report(tampered);
}

class SegmentRun {
  readonly #files: ReadOnlyFiles;
  readonly #trust: Trust;
  #signers: Signers;
  readonly #sequences = new Sequences();
  readonly #missing: string[] = [];
  #manifest: Manifest | null = null;
  #checkpoint: Checkpoint | null = null;
  #records = 0;

  constructor(files: ReadOnlyFiles, trust: Trust) {
    this.#files = files;
    this.#trust = trust;
    this.#signers = aloneWith(trust);
  }

  async all(first: number): Promise<void> {
    this.#manifest = readManifest(((await this.#files.read(manifestPath(first))) ?? '').toString());
    this.#checkpoint = this.#manifest && readCheckpoint(Buffer.from(this.#manifest.checkpoint));
    if (this.#checkpoint !== null) this.#signers = await signersOf(this.#files, this.#trust, this.#checkpoint.origin);
    const fringe = await readFringe(this.#files, first);
    for await (const { entry, leaf, index, file } of readSegmentAlone(this.#options(), first)) {
      if (entry !== null) this.#sequences.see(entry, index, file);
      fringe?.push(leaf, () => undefined);
      this.#records++;
    }
    if (this.#manifest === null || this.#checkpoint === null) this.#missing.push(manifestPath(first));
    else if (fringe === null) this.#missing.push(`tiles of the records before ${first}`);
    else await this.#hold(this.#manifest, this.#checkpoint, fringe.root());
  }

  /** Roots are held here, since there is a tree only where tiles begin it. */
  #options() {
    const expectRoot = (): void => undefined;
    return {
      reader: this.#files,
      signers: this.#signers,
      signed: 0,
      expectRoot,
      signedElsewhere: expectRoot,
      missing: this.#missing,
    };
  }

  async #hold({ first, size, root }: Manifest, checkpoint: Checkpoint, actual: Uint8Array): Promise<void> {
    const { origin } = this.#trust;
    if (origin !== null && checkpoint.origin !== origin)
      throw new Tampered({
        file: manifestPath(first),
        index: first,
        what: `its checkpoint is of ${checkpoint.origin}`,
      });
    if (base64(actual) !== root) throw this.#elsewhere(first, root, actual);
    const proof = await this.#proof(size, checkpoint.size);
    if (proof === null) return;
    const leads = verifyConsistency(size, checkpoint.size, actual, checkpoint.root, proof);
    if (!leads) throw this.#elsewhere(first, base64(checkpoint.root), actual);
  }

  #elsewhere(first: number, expected: string, actual: Uint8Array): Tampered {
    const what = 'its records do not lead to the signed root';
    return new Tampered({ file: segmentPath(first), index: first, what, expected, actual: base64(actual) });
  }

  /** From the segment's end to its checkpoint; null where a tile is missing. */
  async #proof(from: number, to: number): Promise<Uint8Array[] | null> {
    try {
      return await new HashReader((path) => this.#files.read(path), to).consistency(from);
    } catch (error) {
      if (error instanceof Corruption) throw new Tampered({ file: error.message, index: from, what: 'is no tile' });
      if (!(error instanceof TileMissing)) throw error;
      this.#missing.push(error.path);
      return null;
    }
  }

  report(tampered: Tampering | null): VerifyReport {
    return {
      verdict: tampered !== null ? 'tampered' : this.#missing.length > 0 ? 'incomplete' : 'good',
      mode: 'segment',
      origin: this.#checkpoint?.origin ?? '',
      size: this.#manifest?.size ?? 0,
      root: this.#manifest?.root ?? '',
      records: this.#records,
      unsigned: this.#manifest === null ? this.#records : 0,
      pruned: 0,
      gaps: this.#sequences.gaps,
      missing: this.#missing,
      tampered,
    };
  }
}
