/**
 * Makes images in other sizes, on the job threads of a host. One is made at a time, since a decoder holds memory that no limit of a thread counts. Callers
 * that ask for one that is being made wait for it.
 */
import { limits } from '#config/limits.ts';
import type { ImageMade, JobEnd, Jobs } from '#actors/kit/jobs.ts';
import { Serial } from '#actors/kit/serial.ts';
import type { BlobStore } from '../store.ts';
import type { ImageSize } from './image-size.ts';

/** What became of a wish. `busy`: too many wait. */
export type Made = ImageMade | { readonly kind: 'busy' };

export interface ImageOf {
  readonly tenantNo: number;
  readonly store: { readonly blobs: BlobStore; readonly name: string };
  readonly sha256: string;
  readonly bytes: number;
  readonly size: ImageSize;
}

export class ImageMaker {
  readonly #jobs: Jobs;
  readonly #underWay = new Map<string, Promise<Made>>();
  readonly #ofTenant = new Map<number, number>();
  readonly #oneByOne = new Serial();
  #missing: { readonly made: Made; readonly until: number } | null = null;

  constructor(jobs: Jobs) {
    this.#jobs = jobs;
  }

  /** Rejects where the file cannot be read. `now`: monotonic, in milliseconds. */
  make(wish: ImageOf, now: number): Promise<Made> {
    if (this.#missing !== null && now < this.#missing.until) return Promise.resolve(this.#missing.made);
    const { tenantNo, store, sha256, size } = wish;
    const name = `${tenantNo} ${store.name} ${sha256} ${size.key}`;
    const known = this.#underWay.get(name);
    if (known !== undefined) return known;
    const ofTenant = this.#ofTenant.get(tenantNo) ?? 0;
    if (this.#underWay.size >= limits.content.imagesWaitingMax || ofTenant >= limits.content.imagesOfTenantMax)
      return Promise.resolve({ kind: 'busy' });
    this.#ofTenant.set(tenantNo, ofTenant + 1);
    const making = this.#oneByOne.run(() => this.#render(wish, now)).finally(() => this.#leave(name, tenantNo));
    this.#underWay.set(name, making);
    return making;
  }

  #leave(name: string, tenantNo: number): void {
    this.#underWay.delete(name);
    const left = this.#ofTenant.get(tenantNo)! - 1;
    if (left === 0) this.#ofTenant.delete(tenantNo);
    else this.#ofTenant.set(tenantNo, left);
  }

  async #render({ store, sha256, bytes, size }: ImageOf, now: number): Promise<Made> {
    const source = new SharedArrayBuffer(bytes);
    const view = new Uint8Array(source);
    let at = 0;
    for await (const piece of store.blobs.read(sha256, 0, bytes)) {
      view.set(piece, at);
      at += piece.byteLength;
    }
    const body = { source, size: size.declared };
    const made = madeOf(
      await this.#jobs.run('image.render', body, limits.content.imageMsMax + limits.content.imageStopMs),
    );
    if (made.kind === 'missing') this.#missing = { made, until: now + limits.content.imageMissingMs };
    return made;
  }
}

function madeOf(end: JobEnd<ImageMade>): Made {
  if (end.kind === 'done') return end.result;
  if (end.kind === 'busy') return { kind: 'busy' };
  return {
    kind: 'bad',
    message:
      end.why === 'time'
        ? `the image was not made within ${limits.content.imageMsMax} ms`
        : 'making the image ended its thread',
  };
}
