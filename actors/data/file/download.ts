/** GET /data/rest/{entity}/id/{id}?download=true&field=f: the bytes of one file field (docs/contract/data.md §5.9). */
import type { Call } from '#actors/host/call.ts';
import { disposition } from '#actors/kit/file/disposition.ts';
import { rangeOf } from '#actors/kit/file/range.ts';
import type { FileRecord } from '#config/values/file-value.ts';
import { shown } from '#actors/kit/shown.ts';
import { replyStream, type Outcome, type Reply } from '#actors/protocol/route.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { BlobStore } from '#actors/engine/files/store.ts';
import type { Column, EntityModel } from '#actors/engine/rows/model.ts';
import { partOf } from '../part.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { sweepSometimes } from './sweep.ts';

/** The bytes, or why there are none; a signed URL answers the same. */
export type Sent =
  | Exclude<Outcome<Routes['read_signed']>, Reply<304> | Refusal>
  | Refusal<'v2.file_downloader_unconfigured' | 'v2.field_empty' | 'v2.range_not_satisfiable'>;

/** How a file is offered to the browser, and what else the head says. */
export interface Offer {
  readonly disposition: 'attachment' | 'inline';
  readonly headers: Readonly<Record<string, string>>;
}

const DOWNLOAD: Offer = { disposition: 'attachment', headers: {} };

type ColumnRefusal = Refusal<'v2.missing_field' | 'v2.field_not_found' | 'v2.field_not_file'>;

/** The file field that the request names, or the refusal. */
export function fileColumn(model: EntityModel, field: string | undefined): Column | ColumnRefusal {
  if (field === undefined) return refuse('v2.missing_field');
  const column = model.column(field);
  if (column === undefined)
    return refuse('v2.field_not_found', {
      message: `${model.name} has no field ${shown(field)}`,
      details: { field: shown(field) },
    });
  if (column.type !== 'file') return refuse('v2.field_not_file', { message: `${field} is not a file field` });
  return column;
}

/** The bytes, or the part of them that `Range` names. With `If-Range` a file that was replaced meanwhile is sent whole. */
export async function download(call: Call, file: FileRecord | null, offer = DOWNLOAD): Promise<Sent> {
  const { files } = partOf(call.activation);
  if (files === null) return refuse('v2.file_downloader_unconfigured');
  if (file === null) return refuse('v2.field_empty');
  sweepSometimes(call.activation);
  const size = await files.size(file.sha256);
  if (size === null) throw new Error(`the blob ${file.sha256}, which a row names, is missing from the blob store`);
  return part(call, files, { file, size, offer });
}

/** The entity tag of a file: its bytes have one name. */
export const fileTag = ({ sha256 }: FileRecord): string => `"${sha256}"`;

interface Sending {
  readonly file: FileRecord;
  readonly size: number;
  readonly offer: Offer;
}

function part(call: Call, files: BlobStore, { file, size, offer }: Sending): Sent {
  const tag = fileTag(file);
  const ifRange = call.header('if-range');
  const asked = ifRange === undefined || ifRange === tag ? rangeOf(call.header('range'), size) : null;
  if (asked === undefined)
    return refuse('v2.range_not_satisfiable', { headers: { 'Content-Range': `bytes */${size}` } });
  const { from, to } = asked ?? { from: 0, to: size };
  const headers = {
    'Content-Disposition': disposition(offer.disposition, file.name),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': 'sandbox',
    'Accept-Ranges': 'bytes',
    ETag: tag,
    ...offer.headers,
    ...(asked !== null && { 'Content-Range': `bytes ${from}-${to - 1}/${size}` }),
  };
  const stream = { length: to - from, pieces: files.read(file.sha256, from, to) };
  return asked === null
    ? replyStream(200, stream, file.content_type, headers)
    : replyStream(206, stream, file.content_type, headers);
}
