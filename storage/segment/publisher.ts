/**
 * Signs what is durable and makes it public, one checkpoint after the other:
 *
 *   tiles and bundles on the disk ─▶ sign ─▶ swap the signed head in LMDB ─▶ checkpoint file ─▶ manifests of ended segments
 *
 * A crash between any two leaves what the next start finishes: nothing is signed before it is durable, nothing is published
 * before its head is.
 */
import { checkpointText } from './checkpoint.ts';
import type { LogFiles } from './files.ts';
import type { Growth, Snapshot } from './growth.ts';
import type { HeadStore, SignedHead } from './head-store.ts';
import { manifestPath, segmentPath, writeManifest } from './manifest.ts';
import { writeNote } from './note.ts';
import type { OpenSegment } from './recover.ts';

export interface Signer {
  /** The signature line of a note's text. */
  sign(text: string): string;
}

export interface PublisherOptions {
  readonly logId: string;
  readonly origin: string;
  readonly files: LogFiles;
  readonly heads: HeadStore;
  readonly signer: Signer;
  readonly growth: Growth;
  /** What the writer wants to know again after a crash, as of the entries in the tree. */
  readonly memo: () => Readonly<Record<string, number>>;
  /** A segment has its manifest, and never changes again. */
  readonly onSealed: (segment: OpenSegment) => void;
}

export class Publisher {
  readonly #options: PublisherOptions;
  #head: SignedHead | undefined;
  /** The head was signed, and its checkpoint could not be written. */
  #isUnwritten = false;
  #ended: OpenSegment[] = [];

  constructor(options: PublisherOptions, head: SignedHead | undefined, ended: readonly OpenSegment[]) {
    this.#options = options;
    this.#head = head;
    this.#ended = [...ended];
  }

  /** What was signed and published last. */
  get head(): SignedHead | undefined {
    return this.#head;
  }

  get isBehind(): boolean {
    return this.#hasGrown || this.#isUnwritten || this.#ended.length > 0;
  }

  get #hasGrown(): boolean {
    return this.#options.growth.size > (this.#head?.size ?? 0);
  }

  ended(segment: OpenSegment): void {
    this.#ended.push(segment);
  }

  /** Publishes the tree as it is now, and seals what it covers. A rejection leaves it to be tried again. */
  async publish(): Promise<void> {
    const ended = [...this.#ended];
    if (this.#hasGrown) await this.#advance();
    else if (this.#isUnwritten) await this.republish();
    for (const segment of ended) await this.#seal(segment);
    this.#ended = this.#ended.filter((segment) => !ended.includes(segment));
  }

  /** Publishes again what was signed before a crash, or while the disk was full. */
  async republish(): Promise<void> {
    this.#isUnwritten = true;
    await this.#options.files.save([['checkpoint', Buffer.from(this.#head!.note)]]);
    this.#isUnwritten = false;
  }

  /** The same tree under the present key. */
  async resign(): Promise<void> {
    const { heads, logId } = this.#options;
    const before = this.#head!;
    const next = this.#signed({ size: before.size, root: Buffer.from(before.root, 'base64') }, before.memo);
    await heads.swap(logId, before, next);
    this.#head = next;
    await this.republish();
  }

  async #advance(): Promise<void> {
    const { files, growth, heads, logId, memo } = this.#options;
    const snapshot = growth.snapshot();
    const next = this.#signed(snapshot, memo());
    try {
      await files.save(snapshot.files);
    } catch (error) {
      growth.giveBack(snapshot);
      throw error;
    }
    await heads.swap(logId, this.#head, next);
    this.#head = next;
    await this.republish();
    for (const path of snapshot.outdated) await files.remove(path);
  }

  /** The note is not handed out before its head is durable. */
  #signed({ size, root }: Pick<Snapshot, 'size' | 'root'>, memo: Readonly<Record<string, number>>): SignedHead {
    const text = checkpointText(this.#options.origin, { size, root });
    const note = writeNote(text, [this.#options.signer.sign(text)]);
    return { size, root: Buffer.from(root).toString('base64'), note, memo };
  }

  async #seal(segment: OpenSegment): Promise<void> {
    const { files } = this.#options;
    const manifest = writeManifest({
      first: segment.first,
      last: segment.size - 1,
      bytes: segment.bytes,
      sha256: segment.sha256.copy().digest('hex'),
      size: segment.size,
      root: Buffer.from(segment.root).toString('base64'),
      checkpoint: this.#head!.note,
    });
    await files.protect(segmentPath(segment.first));
    await files.save([[manifestPath(segment.first), Buffer.from(manifest)]]);
    this.#options.onSealed(segment);
  }
}
