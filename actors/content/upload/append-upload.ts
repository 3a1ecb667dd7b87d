/** PATCH /store/{name}/upload/{id}: bytes from where the upload ends (tus 1.0.0, core and checksum). What is answered is durable. */
import { createHash } from 'node:crypto';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { running } from '../asset/create.ts';
import { knownParameters } from '../page.ts';
import { storeOf, type OpenStore } from '../part.ts';
import { end } from '../refused.ts';
import type { Routes } from '../routes.ts';
import type { PartialWriter } from '../store.ts';
import { endUpload } from './end-upload.ts';
import { findUpload } from './find-upload.ts';
import { bytesIn, checksumIn, checkVersion, headersOf, TUS, type Checksum } from './tus.ts';
import type { Upload } from './uploads.ts';

const TYPE = 'application/offset+octet-stream';

export async function appendUpload(call: Call): Promise<Outcome<Routes['upload_append']>> {
  knownParameters(call, []);
  checkVersion(call);
  if (call.header('content-type') !== TYPE) end('content.upload_type', { headers: TUS });
  const offset = bytesIn(call, 'upload-offset');
  const checksum = checksumIn(call);
  const store = storeOf(call);
  const upload = await findUpload(call, store);
  if (upload.isBusy || upload.ending !== null) end('content.upload_busy', { headers: TUS });
  if (offset !== upload.offset)
    end('content.upload_offset', {
      message: `the upload has ${upload.offset} bytes`,
      headers: headersOf(store.name, upload),
    });
  if (!upload.note.isDone) await takeBytes(call, store, upload, checksum);
  await endUpload(call, store, upload);
  return reply(204, undefined, headersOf(store.name, upload));
}

/** One request at a time, and of all uploads of a host a few. */
async function takeBytes(call: Call, store: OpenStore, upload: Upload, checksum: Checksum | null): Promise<void> {
  const { tenantNo } = call.activation;
  if (!running.take(tenantNo))
    end('content.unavailable', { message: 'too many uploads of this tenant run now: try again when one has ended' });
  upload.isBusy = true;
  try {
    const writer = await store.uploads.files.append(upload.id, upload.offset);
    try {
      if (checksum !== null) await store.uploads.hold(upload, upload.offset);
      await new Taking(upload, writer, checksum).all(call);
      if (checksum !== null) await store.uploads.hold(upload, null);
    } finally {
      await writer.close();
    }
  } finally {
    upload.isBusy = false;
    running.give(tenantNo);
  }
}

class Taking {
  readonly #upload: Upload;
  readonly #writer: PartialWriter;
  readonly #checksum: Checksum | null;
  /** Bytes that were written, and of these those that are not durable yet. */
  #at: number;
  #unsynced = 0;

  constructor(upload: Upload, writer: PartialWriter, checksum: Checksum | null) {
    this.#upload = upload;
    this.#writer = writer;
    this.#checksum = checksum;
    this.#at = upload.offset;
  }

  /** Keeps what has come, also of a caller that leaves; with a checksum all of it or nothing. */
  async all(call: Call): Promise<void> {
    const hash = this.#checksum === null ? null : createHash(this.#checksum.algorithm);
    try {
      for await (const piece of call.stream ?? []) {
        if (this.#at + piece.byteLength > this.#upload.note.length)
          end('content.upload_invalid', { message: 'more bytes came than Upload-Length says', headers: TUS });
        hash?.update(piece);
        await this.#writer.write(piece);
        this.#at += piece.byteLength;
        this.#unsynced += piece.byteLength;
        if (hash === null && this.#unsynced >= limits.content.uploadSyncBytes) await this.#settle();
      }
    } catch (error) {
      if (hash === null) await this.#settle();
      throw error;
    }
    if (hash !== null && hash.digest('base64') !== this.#checksum!.digest)
      end('content.upload_checksum', { headers: TUS });
    await this.#settle();
  }

  /** From here on the bytes count. Those of a request that is refused before are dropped by the next one, which writes over them. */
  async #settle(): Promise<void> {
    await this.#writer.sync();
    this.#upload.offset = this.#at;
    this.#unsynced = 0;
  }
}
