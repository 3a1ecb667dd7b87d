/** Headers of tus 1.0.0 (https://tus.io/protocols/resumable-upload): what requests say, and what answers do. */
import { timestamp } from '#actors/kit/clock.ts';
import type { Call } from '#actors/host/call.ts';
import { end } from '../refused.ts';
import type { Upload } from './uploads.ts';

const VERSION = '1.0.0';

export const TUS = {
  'Tus-Resumable': VERSION,
  'Tus-Extension': 'creation,expiration,termination,checksum',
  'Tus-Checksum-Algorithm': 'sha1,sha256,md5',
  'Cache-Control': 'no-store',
} as const;

const DIGITS = /^\d{1,15}$/;
const KEY = /^[\x21-\x2b\x2d-\x7e]+$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** 412 for another version; a look by GET needs none. */
export function checkVersion(call: Call, isLook = false): void {
  const version = call.header('tus-resumable') ?? '';
  if (version === VERSION || (isLook && version === '')) return;
  end('content.upload_version', { message: `the header Tus-Resumable must be ${VERSION}` });
}

/** A number of bytes in a header, or 400. */
export function bytesIn(call: Call, name: string): number {
  const text = call.header(name) ?? '';
  return DIGITS.test(text)
    ? Number(text)
    : end('content.upload_invalid', { message: `${name} must be a number of bytes` });
}

/** `Upload-Metadata`: names, each with a text in base64 or without one. 400 for anything else, and for a name twice. */
export function metadataIn(call: Call): Map<string, string> {
  const values = new Map<string, string>();
  for (const pair of (call.header('upload-metadata') ?? '').split(',')) {
    const [name = '', encoded = '', ...more] = pair.trim().split(' ');
    if (name === '' && encoded === '') continue;
    if (!KEY.test(name) || !BASE64.test(encoded) || more.length > 0 || values.has(name))
      end('content.upload_invalid', {
        message: 'Upload-Metadata must have names, each once and with its value in base64',
      });
    values.set(name, Buffer.from(encoded, 'base64').toString());
  }
  return values;
}

export interface Checksum {
  readonly algorithm: string;
  readonly digest: string;
}

const ALGORITHMS: ReadonlySet<string> = new Set(TUS['Tus-Checksum-Algorithm'].split(','));

/** `Upload-Checksum`: the digest of the bytes of this request; null for none. 400 for an algorithm that is not known here. */
export function checksumIn(call: Call): Checksum | null {
  const text = call.header('upload-checksum') ?? '';
  if (text === '') return null;
  const [algorithm = '', digest = '', ...more] = text.split(' ');
  if (ALGORITHMS.has(algorithm) && digest !== '' && BASE64.test(digest) && more.length === 0)
    return { algorithm, digest };
  return end('content.upload_invalid', {
    message: `Upload-Checksum must be one of ${[...ALGORITHMS].join(', ')}, then a digest in base64`,
  });
}

/** What an answer says of an upload. The asset is named once it is there. */
export function headersOf(store: string, { note, offset }: Upload): Readonly<Record<string, string>> {
  return {
    ...TUS,
    'Upload-Offset': String(offset),
    'Upload-Length': String(note.length),
    'Upload-Expires': new Date(note.endsAtMs).toUTCString(),
    ...(note.isDone && { 'Content-Location': `/store/${store}/asset/${note.assetId}` }),
  };
}

export const expiryOf = ({ note }: Upload): string => timestamp(note.endsAtMs);
