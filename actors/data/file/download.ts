/** GET /data/rest/{entity}/id/{id}?download=true&field=f: the bytes of one file field (docs/contract/data.md §5.9). */
import type { Call } from '#actors/host/call.ts';
import { disposition } from '#actors/kit/file/disposition.ts';
import { rangeOf } from '#actors/kit/file/range.ts';
import type { FileRecord } from '#config/values/file-value.ts';
import { shown } from '#actors/kit/shown.ts';
import { replyStream } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import type { BlobStore } from '#actors/engine/files/store.ts';
import type { Column, EntityModel } from '#actors/engine/rows/model.ts';
import { partOf } from '../part.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { sweepSometimes } from './sweep.ts';

type Shown = Outcome<Routes['read']>;

/** The file field that the request names, or the refusal. */
export function fileColumn(model: EntityModel, field: string | undefined): Column | Shown {
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
export async function download(call: Call, file: FileRecord | null): Promise<Shown> {
  const { files } = partOf(call.activation);
  if (files === null) return refuse('v2.file_downloader_unconfigured');
  if (file === null) return refuse('v2.field_empty');
  sweepSometimes(call.activation);
  const size = await files.size(file.sha256);
  if (size === null) throw new Error(`the blob ${file.sha256}, which a row names, is missing from the blob store`);
  return part(call, files, file, size);
}

function part(call: Call, files: BlobStore, file: FileRecord, size: number): Shown {
  const tag = `"${file.sha256}"`;
  const ifRange = call.header('if-range');
  const asked = ifRange === undefined || ifRange === tag ? rangeOf(call.header('range'), size) : null;
  if (asked === undefined)
    return refuse('v2.range_not_satisfiable', { headers: { 'Content-Range': `bytes */${size}` } });
  const { from, to } = asked ?? { from: 0, to: size };
  const headers = {
    'Content-Disposition': disposition('attachment', file.name),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': 'sandbox',
    'Accept-Ranges': 'bytes',
    ETag: tag,
    ...(asked !== null && { 'Content-Range': `bytes ${from}-${to - 1}/${size}` }),
  };
  const stream = { length: to - from, pieces: files.read(file.sha256, from, to) };
  return asked === null
    ? replyStream(200, stream, file.content_type, headers)
    : replyStream(206, stream, file.content_type, headers);
}
