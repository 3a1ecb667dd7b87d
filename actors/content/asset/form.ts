/** The parts of an upload: one file, and fields of the asset. */
import type { Readable } from 'node:stream';
import type { Call } from '#actors/host/call.ts';
import { BodyCut } from '#actors/host/body-stream.ts';
import { FileTooLarge, MultipartFault, readParts } from '#actors/kit/file/multipart.ts';
import { uploadFile, type Uploaded } from '#actors/kit/file/upload.ts';
import { shown } from '#actors/kit/shown.ts';
import type { OpenStore } from '../part.ts';
import { end, endFull } from '../refused.ts';
import { checkFields } from './fields.ts';
import { assetType } from './media-type.ts';
import { partValue } from './part-value.ts';

const FILE = 'file';

export class AssetForm {
  readonly #call: Call;
  readonly #store: OpenStore;
  readonly #values = new Map<string, unknown>();
  #uploaded: Uploaded | null = null;
  #taken = false;
  #published = false;

  private constructor(call: Call, store: OpenStore) {
    this.#call = call;
    this.#store = store;
  }

  /** Reads the whole body. 400 for a body that is not multipart, 413 for a file that is too large. */
  static async read(call: Call, store: OpenStore): Promise<AssetForm> {
    const form = new AssetForm(call, store);
    try {
      await readParts(call.header('content-type') ?? '', call.stream!, form, store.assetBytesMax);
      return form;
    } catch (error) {
      await form.drop();
      if (error instanceof FileTooLarge) return end('content.too_large', { message: error.message });
      if (error instanceof MultipartFault || error instanceof BodyCut)
        return end('content.bad_body', { message: error.message });
      throw error;
    }
  }

  /** The stored file, not yet published; null when the body has none. */
  get uploaded(): Uploaded | null {
    return this.#uploaded;
  }

  /** The fields, checked. */
  get fields(): Record<string, unknown> {
    return checkFields(this.#store, Object.fromEntries(this.#values));
  }

  field(name: string, text: string): void {
    if (this.#values.has(name)) end('content.bad_body', { message: `${shown(name)} is there twice` });
    this.#values.set(name, partValue(this.#call, this.#store, name, text));
  }

  async file(name: string, content: Readable, filename: string, contentType: string): Promise<void> {
    if (name !== FILE) end('content.bad_body', { message: `${shown(name)} is no file: the part is called ${FILE}` });
    if (this.#taken) end('content.bad_body', { message: `there is more than one ${FILE}` });
    this.#taken = true;
    this.#uploaded = await uploadFile(this.#store.blobs, content, filename, contentType, assetType);
  }

  /** From here on the store has the file. 507 when its quota has no room. */
  async publish(): Promise<void> {
    const { use, name } = this.#store;
    const full = this.#uploaded === null ? null : await use.admit(this.#uploaded.value);
    if (full !== null) endFull(name, full);
    await this.#uploaded?.upload.publish();
    this.#published = true;
  }

  /** Drops a file that was not published. */
  async drop(): Promise<void> {
    if (!this.#published) await this.#uploaded?.upload.drop();
  }
}
