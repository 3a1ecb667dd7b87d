/** A file in several requests, which goes on where it broke off (docs/contract/content.md §5.5; tus 1.0.0, core and creation). */
import { isSkepError, SkepError } from './errors.ts';
import { isPassing, type Transport } from './transport.ts';
import { backOffMs, pause } from './wait.ts';

export interface UploadOptions {
  /** The name of the file: its own, where it has one. */
  readonly name?: string;
  /** Fields of the asset: `title`, `alt`, `tags`, `folder_id` and those that the product adds. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Bytes that the node has durably, and how many there are in all. Told after each piece. */
  readonly onProgress?: (bytes: number, total: number) => void;
  /** The id of the upload, once there is one: kept, it can be named as `resume` within a day, also by another page. */
  readonly onStart?: (upload: string) => void;
  /** An upload of the same file that was begun before. Throws 404 `content.upload_not_found` where it is over. */
  readonly resume?: string;
  /** Bytes of one request: 1,048,576 unless set. */
  readonly pieceBytes?: number;
  /** How long one piece may take: 120,000 ms unless set. */
  readonly pieceTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** How far an upload is. */
interface State {
  readonly offset: number;
  readonly length: number;
  readonly asset_id: string | null;
}

const TUS = { 'Tus-Resumable': '1.0.0' };
const PIECE_BYTES = 1024 * 1024;
const PIECE_MS = 120_000;
/** So often one place of the file may fail one after the other. */
const FAILURES_MAX = 6;

/** Gives the id of a new upload. Sent again where its answer is lost: an upload without bytes makes no asset, and ends by itself. */
export async function beginUpload(
  transport: Transport,
  store: string,
  file: Blob,
  { name = nameOf(file), fields = {}, signal }: UploadOptions,
): Promise<string> {
  const metadata = { filename: name, filetype: file.type, ...textsOf(fields) };
  const headers = {
    ...TUS,
    'Upload-Length': String(file.size),
    'Upload-Metadata': Object.entries(metadata)
      .map(([key, text]) => `${key} ${base64(text)}`)
      .join(),
  };
  const answer = await transport.send({ method: 'POST', path: `${store}/upload`, headers, again: 'safe', signal });
  return answer.headers.get('location')!.split('/').at(-1)!;
}

/** Sends what the node does not have yet; gives the id of the asset. */
export async function finishUpload(
  transport: Transport,
  path: string,
  file: Blob,
  options: UploadOptions,
): Promise<string> {
  const { onProgress, signal } = options;
  const { firstMs = 250, mostMs = 20_000 } = transport.retry;
  let failures = 0;
  for (let known = 0; ;) {
    const { offset, length, asset_id: asset } = await stateOf(transport, path, signal);
    if (length !== file.size) throw anotherFile(length, file.size);
    onProgress?.(offset, length);
    if (asset !== null) return asset;
    if (offset > known) failures = 0;
    known = offset;
    const failed = await sendPieces(transport, path, file, offset, options);
    if (failed === null && offset < length) continue;
    if (++failures >= FAILURES_MAX || (failed !== null && !mayGoOn(failed))) throw failed ?? unfinished(path);
    await pause(Math.max(failed?.retryAfterMs ?? 0, backOffMs(failures, firstMs, mostMs)), signal);
  }
}

/** Sends from `offset` on. Null once all bytes are there; else the error of the piece that failed. */
async function sendPieces(
  transport: Transport,
  path: string,
  file: Blob,
  offset: number,
  { onProgress, pieceBytes = PIECE_BYTES, pieceTimeoutMs: timeoutMs = PIECE_MS, signal }: UploadOptions,
): Promise<SkepError | null> {
  let at = offset;
  try {
    do {
      const headers = { ...TUS, 'Upload-Offset': String(at), 'Content-Type': 'application/offset+octet-stream' };
      const body = file.slice(at, at + pieceBytes);
      await transport.send({ method: 'PATCH', path, headers, body, again: 'never', timeoutMs, signal });
      at += body.size;
      if (at < file.size) onProgress?.(at, file.size);
    } while (at < file.size);
    return null;
  } catch (error) {
    if (error instanceof SkepError) return error;
    throw error;
  }
}

async function stateOf(transport: Transport, path: string, signal: AbortSignal | undefined): Promise<State> {
  return (await transport.send({ method: 'GET', path, headers: TUS, signal })).json as State;
}

/** What passes by itself, another request that still writes, and bytes that came although their answer did not. */
const mayGoOn = (error: SkepError): boolean =>
  isPassing(error) || isSkepError(error, 'content.upload_busy', 'content.upload_offset');

function anotherFile(length: number, size: number): TypeError {
  return new TypeError(`the upload is of a file of ${length} bytes, and this file has ${size}: begin a new upload`);
}

function unfinished(path: string): SkepError {
  const message = `the node made no asset of ${path}: begin a new upload`;
  return new SkepError(0, 'client.unexpected', { message });
}

const nameOf = (file: Blob): string => ('name' in file ? String(file.name) : 'file');

function textsOf(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}
