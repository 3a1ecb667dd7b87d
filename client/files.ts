/** Files in a store of the tenant: `files(client, 'media')` (docs/contract/content.md §5). */
import type { WriteOptions } from './entity.ts';
import { matching, queryOf } from './parameters.ts';
import type { Ask, Sender } from './transport.ts';
import { beginUpload, finishUpload, type UploadOptions } from './upload.ts';

/** What is known of a file; beside these it has the fields that the product adds. */
export interface Asset {
  readonly id: string;
  readonly store: string;
  readonly folder_id: string | null;
  readonly name: string;
  readonly content_type: string;
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly title: string | null;
  readonly alt: string | null;
  readonly tags: readonly string[];
  readonly locale: string | null;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly [field: string]: unknown;
}

export interface AssetQuery {
  /** The folder; null for files in none. */
  readonly folder?: string | null;
  readonly name?: string;
  readonly contentType?: string;
  readonly locale?: string;
  readonly tag?: string;
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

export interface AssetPage {
  readonly assets: readonly Asset[];
  /** Where the next page goes on; null at the end. */
  readonly next: string | null;
}

export interface DownloadOptions {
  /** An earlier file of the asset, where its store keeps them. */
  readonly version?: number;
  /** A size that the store declares, of an asset that is an image. */
  readonly image?: string;
  /** Bytes that are there, and how many there are in all; null where that is not said. */
  readonly onProgress?: (bytes: number, total: number | null) => void;
  readonly signal?: AbortSignal;
}

export interface SignOptions {
  /** Seconds; an hour unless set. */
  readonly expiresIn?: number;
  readonly disposition?: 'inline' | 'attachment';
  readonly version?: number;
  readonly signal?: AbortSignal;
}

export interface Files {
  /**
   * Stores a file, piece by piece: an upload that breaks off goes on where it was, and makes one asset. Throws 413 `content.too_large`, 507
   * `content.storage_full`, 403 `content.forbidden`.
   */
  upload(file: Blob, options?: UploadOptions): Promise<Asset>;
  list(query?: AssetQuery): Promise<AssetPage>;
  /** Throws 404 `content.asset_not_found`. */
  get(id: string, options?: { readonly signal?: AbortSignal }): Promise<Asset>;
  /** Changes what is known of it: `title`, `alt`, `tags`, `folder_id`, `name`; `version` is the one that it must have. */
  update(id: string, fields: object, options?: WriteOptions & { readonly version?: number }): Promise<Asset>;
  delete(id: string, options?: WriteOptions): Promise<Asset>;
  download(id: string, options?: DownloadOptions): Promise<Blob>;
  /** A URL of the file that needs no credential, such as the `src` of an image. */
  sign(id: string, options?: SignOptions): Promise<{ readonly url: string; readonly expiresAt: string }>;
}

/** The files of a store. Nothing is sent yet. */
export function files({ transport }: Sender, store: string): Files {
  const path = `/store/${encodeURIComponent(store)}`;
  const at = (id: string): string => `${path}/asset/${encodeURIComponent(id)}`;
  const asset = async (ask: Ask): Promise<Asset> => (await transport.send(ask)).json as Asset;
  const get = (id: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<Asset> =>
    asset({ method: 'GET', path: at(id), signal });
  return {
    get,
    upload: async (file, options = {}) => {
      const upload = options.resume ?? (await beginUpload(transport, path, file, options));
      options.onStart?.(upload);
      return get(await finishUpload(transport, `${path}/upload/${encodeURIComponent(upload)}`, file, options), options);
    },
    list: async (query = {}) => {
      const { json } = await transport.send({ method: 'GET', path: `${path}/asset`, ...asked(query) });
      const { data, page } = json as {
        readonly data: readonly Asset[];
        readonly page: { readonly has_next_page: boolean; readonly end_cursor: string | null };
      };
      return { assets: data, next: page.has_next_page ? page.end_cursor : null };
    },
    update: (id, body, { key, signal, version } = {}) => {
      const headers = matching({ version });
      return asset({ method: 'PATCH', path: at(id), body, headers, key, signal });
    },
    delete: (id, { key, signal } = {}) => asset({ method: 'DELETE', path: at(id), key, signal }),
    download: async (id, { version, image, onProgress, signal } = {}) => {
      const way = image === undefined ? 'download' : `image/${encodeURIComponent(image)}`;
      const query = queryOf({ version });
      const response = await transport.open({ method: 'GET', path: `${at(id)}/${way}`, query, signal });
      return blobOf(response, onProgress);
    },
    sign: async (id, { expiresIn, disposition, version, signal } = {}) => {
      const body = { expires_in: expiresIn, disposition, version };
      const { json } = await transport.send({ method: 'POST', path: `${at(id)}/sign`, body, again: 'safe', signal });
      const { url, expires_at: expiresAt } = json as { url: string; expires_at: string };
      return { url: transport.base + url, expiresAt };
    },
  };
}

function asked({ folder, contentType, signal, ...rest }: AssetQuery): Pick<Ask, 'query' | 'signal'> {
  const named = { folder_id: folder === null ? 'null' : folder, content_type: contentType, ...rest };
  return { query: queryOf(named), signal };
}

/** The whole body. Compressed answers say the length of what travels, not of what is read: then no total is told. */
async function blobOf(response: Response, onProgress?: DownloadOptions['onProgress']): Promise<Blob> {
  const type = response.headers.get('content-type') ?? '';
  if (onProgress === undefined) return response.blob();
  const length = response.headers.get('content-encoding') === null ? response.headers.get('content-length') : null;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body!.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    pieces.push(read.value);
    onProgress((bytes += read.value.byteLength), length === null ? null : Number(length));
  }
  return new Blob(pieces, { type });
}
