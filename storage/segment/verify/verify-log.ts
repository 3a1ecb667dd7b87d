/** Verifies a whole log, from its directory, a synchronised copy of it, or over HTTP. */
import { hash } from 'node:crypto';
import { readCheckpoint, type Checkpoint } from '../checkpoint.ts';
import { TileComparison, type Reader } from './compare-tiles.ts';
import { readBundles } from './read-bundles.ts';
import { firstsOf, readSegments } from './read-segments.ts';
import { Tampered, base64, type Tampering, type VerifyReport } from './report.ts';
import { Sequences } from './sequences.ts';
import { cosignedAt } from '../note.ts';
import { covers, type Span } from '../pruning.ts';
import { TILE_WIDTH, parseTilePath } from '../tile-path.ts';
import { KEYS_FILE } from '../succession.ts';
import { aloneWith, isTrusted, signersOf, type Signers, type Trust } from './trust.ts';

const CHECKPOINT = 'checkpoint';
const COSIGNED = 'cosigned';

/** Every signed byte is looked at; the report names the first that is not as it was signed. */
export async function verifyLog(reader: Reader, trust: Trust, mode: 'directory' | 'url'): Promise<VerifyReport> {
  const run = new Run(reader, trust, mode);
  let tampered: Tampering | null = null;
  try {
    await run.all();
  } catch (error) {
    if (!(error instanceof Tampered)) throw error;
    tampered = error.finding;
  }
  return run.report(tampered);
}

class Run {
  readonly #mode: VerifyReport['mode'];
  readonly #reader: Reader;
  readonly #trust: Trust;
  #signers: Signers;
  readonly #sequences = new Sequences();
  /** Roots that manifests give, by size. */
  readonly #roots = new Map<number, { readonly root: string; readonly file: string }[]>();
  /** Signed checkpoints that lie elsewhere than in their own file. */
  readonly #later: { readonly size: number; readonly file: string }[] = [];
  #missing: string[] = [];
  #checkpoint: Checkpoint | null = null;
  #records = 0;
  #unsigned = 0;
  #pruned = 0;
  /** Of each file that is gone, the records whose hashes are left. */
  readonly #gone = new Map<string, Span>();

  constructor(reader: Reader, trust: Trust, mode: VerifyReport['mode']) {
    this.#mode = mode;
    this.#reader = reader;
    this.#trust = trust;
    this.#signers = aloneWith(trust);
  }

  async all(): Promise<void> {
    const bytes = await this.#reader.read(CHECKPOINT);
    if (bytes === null) {
      this.#missing.push(CHECKPOINT);
      return;
    }
    this.#signers = await signersOf(this.#reader, this.#trust, readCheckpoint(bytes)?.origin ?? '');
    this.#checkpoint = this.#read(bytes, CHECKPOINT);
    for (const { size, root } of this.#signers.chain) this.#expectRoot(size, base64(root), KEYS_FILE);
    await this.#grow(this.#checkpoint);
  }

  #read(bytes: Uint8Array, file: string): Checkpoint {
    const checkpoint = readCheckpoint(bytes);
    if (checkpoint === null) throw new Tampered({ file, what: 'is no checkpoint' });
    if (this.#trust.origin !== null && checkpoint.origin !== this.#trust.origin)
      throw new Tampered({ file, what: `is of ${checkpoint.origin}, not of ${this.#trust.origin}` });
    if (!isTrusted(checkpoint.note, checkpoint.size, this.#signers))
      throw new Tampered({ file, what: 'is not signed by the key' });
    return checkpoint;
  }

  async #grow(checkpoint: Checkpoint): Promise<void> {
    const { size } = checkpoint;
    this.#expectRoot(size, base64(checkpoint.root), CHECKPOINT);
    const hasCosigned = await this.#holdCosigned();
    const tree = new TileComparison(this.#reader, size);
    this.#missing = tree.missing;
    if (!hasCosigned) this.#missing.push(COSIGNED);
    await this.#holdRoots(tree);
    for await (const { index, entry, leaf, file } of await this.#entries(size)) {
      tree.add(leaf, entry);
      if (entry === null) this.#countPruned(index, file);
      else {
        const blob = this.#sequences.see(entry, index, file);
        if (blob !== null) await this.#holdBlob(blob, index);
      }
      if (index < size) this.#records++;
      else this.#unsigned++;
      if (tree.isDue) await tree.compare();
      if (this.#roots.has(tree.size)) await this.#holdRoots(tree);
    }
    // What a later checkpoint than the published one covers must be there too.
    const signed = Math.max(size, ...this.#roots.keys());
    if (tree.size < signed) this.#missing.push(`records ${tree.size} to ${signed - 1}`);
    this.#holdPrunings();
    await this.#holdNewest(size);
  }

  /**
   * A checkpoint is published before a manifest or a witness carries it: where one of them has signed more, an older checkpoint was put
   * back. Only a log that is being written may have been read while it went on: its checkpoint has then come as far by now.
   */
  async #holdNewest(size: number): Promise<void> {
    const newest = this.#later.toSorted((a, b) => b.size - a.size)[0];
    if (newest === undefined || newest.size <= size) return;
    const now = await this.#reader.read(CHECKPOINT);
    if (now !== null && this.#read(now, CHECKPOINT).size >= newest.size) return;
    throw new Tampered({
      file: CHECKPOINT,
      what: `it is of ${size} records, but ${newest.file} has a signed one of ${newest.size}: an older one was put back`,
    });
  }

  /** What a witness has cosigned must be of this tree too; false where its line is asked for and there is none. */
  async #holdCosigned(): Promise<boolean> {
    const { witness, verify } = this.#trust;
    const bytes = await this.#reader.read(COSIGNED);
    if (bytes === null) return witness === undefined;
    const { size, root, note } = this.#read(bytes, COSIGNED);
    if (witness !== undefined && cosignedAt(note, witness, verify) === null)
      throw new Tampered({ file: COSIGNED, what: 'is not cosigned by the witness' });
    this.#expectRoot(size, base64(root), COSIGNED);
    this.#later.push({ size, file: COSIGNED });
    return true;
  }

  async #entries(signed: number) {
    const hasSegments = (await firstsOf(this.#reader)).length > 0;
    if (!hasSegments) return readBundles(this.#reader, signed, this.#missing);
    return readSegments({
      reader: this.#reader,
      signers: this.#signers,
      signed,
      expectRoot: (size, root, file) => this.#expectRoot(size, root, file),
      signedElsewhere: (at, file) => void this.#later.push({ size: at, file }),
      missing: this.#missing,
    });
  }

  #expectRoot(size: number, root: string, file: string): void {
    const present = this.#roots.get(size) ?? [];
    this.#roots.set(size, [...present, { root, file }]);
  }

  /** The tree has reached a size for which a manifest or a note gives a root. */
  async #holdRoots(tree: TileComparison): Promise<void> {
    const given = this.#roots.get(tree.size);
    if (given === undefined) return;
    const actual = base64(tree.root());
    for (const { root, file } of given)
      if (root !== actual)
        throw new Tampered({
          file,
          index: Math.max(0, tree.size - 1),
          what: `its root at size ${tree.size} is not that of the records`,
          expected: root,
          actual,
        });
    if (tree.size === this.#checkpoint?.size) await tree.comparePartials();
  }

  #countPruned(index: number, file: string): void {
    this.#pruned++;
    this.#gone.set(file, { first: this.#gone.get(file)?.first ?? index, last: index });
  }

  /**
   * A segment that is gone must have been pruned by the log itself, in a record that the tree holds: all of it, for its manifest, which
   * says how far it goes, is not signed.
   */
  #holdPrunings(): void {
    const absent = this.#missing.filter((file) => !this.#isPruned(file) && !this.#isPrunedBundle(file));
    this.#missing.splice(0, this.#missing.length, ...absent);
  }

  #isPruned(file: string): boolean {
    const gone = this.#gone.get(file);
    return gone !== undefined && covers(this.#sequences.pruned, gone);
  }

  #isPrunedBundle(file: string): boolean {
    const place = parseTilePath(file);
    const end = 1 + (this.#sequences.pruned.at(-1)?.last ?? -1);
    return place?.level === 'entries' && (place.index + 1) * TILE_WIDTH <= end;
  }

  /** Data that was too large for its record: the record has its SHA-256. Over HTTP it is not shown. */
  async #holdBlob(sha256: string, index: number): Promise<void> {
    if (this.#mode === 'url') return;
    const file = `blob/${sha256}`;
    const bytes = await this.#reader.read(file);
    if (bytes === null) this.#missing.push(file);
    else if (hash('sha256', bytes, 'hex') !== sha256)
      throw new Tampered({
        file,
        index,
        what: 'is not the data of its record',
        expected: sha256,
        actual: hash('sha256', bytes, 'hex'),
      });
  }

  report(tampered: Tampering | null): VerifyReport {
    const checkpoint = this.#checkpoint;
    return {
      verdict: tampered !== null ? 'tampered' : this.#missing.length > 0 ? 'incomplete' : 'good',
      mode: this.#mode,
      origin: checkpoint?.origin ?? '',
      size: checkpoint?.size ?? 0,
      root: checkpoint === null ? '' : base64(checkpoint.root),
      records: this.#records,
      unsigned: this.#unsigned,
      pruned: this.#pruned,
      gaps: this.#sequences.gaps,
      missing: [...this.#missing],
      tampered,
    };
  }
}
