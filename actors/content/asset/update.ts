/** PATCH /store/{name}/asset/{id}: fields as JSON, or a new file with them as multipart. */
import type { Call } from '#actors/host/call.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { objectOf } from '../body.ts';
import { storeOf } from '../part.ts';
import type { OpenStore } from '../part.ts';
import { end } from '../refused.ts';
import { Rows } from '../rows.ts';
import type { Row } from '../rows.ts';
import { keepVersion, withForm } from './create.ts';
import { checkFields, fileFields } from './fields.ts';
import { checkFolder, findAsset } from './find.ts';
import type { AssetForm } from './form.ts';
import { sweepSometimes } from './sweep.ts';

const operation = 'updateasset';

export async function updateAsset(call: Call): Promise<Reply<200>> {
  const store = storeOf(call);
  if (call.stream === null) return updateFields(call, store, checkFields(objectOf(call)));
  await findAsset(call, store, operation);
  return withForm(call, store, (form) =>
    form.uploaded === null ? updateFields(call, store, form.fields) : replaceFile(call, store, form),
  );
}

async function updateFields(call: Call, store: OpenStore, fields: Row): Promise<Reply<200>> {
  const { id } = await findAsset(call, store, operation, fields);
  await checkFolder(call, store, fields['folder_id']);
  const rows = new Rows(call, 'internal');
  return reply(200, await rows.update(store.asset, id as string, fields, call.header('if-match')));
}

/** A new file is a new version. The version before is looked at again in the commit: a number is given once. */
async function replaceFile(call: Call, store: OpenStore, form: AssetForm): Promise<Reply<200>> {
  const { fields } = form;
  const { value, head } = form.uploaded!;
  const before = await findAsset(call, store, operation, fields);
  await checkFolder(call, store, fields['folder_id']);
  checkMatch(call, before);
  await form.publish();
  const id = before['id'] as string;
  const row = { ...fileFields(value, head), ...fields, id };
  const rows = new Rows(call, 'internal');
  const operations = [{ action: 'update', data: { [store.asset]: row } }] as const;
  const number = (before['version'] as number) + 1;
  const kept = store.keepsVersions ? [keepVersion(store, row, number)] : [];
  const [asset] = await rows.run([...operations, ...kept]);
  sweepSometimes(call.activation, store);
  return reply(200, asset);
}

function checkMatch(call: Call, { version }: Row): void {
  const wanted = call.header('if-match');
  const tags = wanted?.split(',').map((tag) => tag.trim());
  if (tags === undefined || tags.includes('*') || tags.includes(`"${version as number}"`)) return;
  end('content.precondition_failed', { details: { version } });
}
