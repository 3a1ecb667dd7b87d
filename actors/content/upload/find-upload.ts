/** The upload of a call's path. */
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { demand } from '../judge.ts';
import type { OpenStore } from '../part.ts';
import { end } from '../refused.ts';
import { TUS } from './tus.ts';
import type { Upload } from './uploads.ts';

/** The sender of an upload; '' for a caller without a credential, which shows the upload's id alone. */
export function ownerOf({ principal }: Call): string {
  return principal === null ? '' : `${principal.type}:${principal.subject}`;
}

/** 404 for one of another caller; then the rule of `createasset`, which may have changed since it began. */
export async function findUpload(call: Call, store: OpenStore): Promise<Upload> {
  const id = call.param('id');
  const upload = await store.uploads.get(id, call.activation.context.clock.now());
  if (upload === null || upload.note.owner !== ownerOf(call))
    return end('content.upload_not_found', {
      message: `the store ${store.name} has no upload ${shown(id)}`,
      headers: TUS,
    });
  demand(call, store.judge, { operation: 'createasset', of: store.name, data: upload.note.fields });
  return upload;
}
