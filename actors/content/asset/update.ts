/** PATCH /store/{name}/asset/{id}: fields as JSON, or a new file with them as multipart. */
import type { Call } from '#actors/host/call.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { objectOf } from '../body.ts';
import { storeOf } from '../part.ts';
import type { OpenStore } from '../part.ts';
import type { Row } from '../rows.ts';
import { tagged } from '../tagged.ts';
import { withForm } from './create.ts';
import { checkFields, fileFields } from './fields.ts';
import { checkFolder, findAsset } from './find.ts';
import type { AssetForm } from './form.ts';
import { checkMatch } from './match.ts';
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
  return tagged(200, await store.index.update(call, id as string, fields));
}

/** A new file is a new version. */
async function replaceFile(call: Call, store: OpenStore, form: AssetForm): Promise<Reply<200>> {
  const { fields } = form;
  const { value, head } = form.uploaded!;
  const before = await findAsset(call, store, operation, fields);
  await checkFolder(call, store, fields['folder_id']);
  checkMatch(call, before);
  await form.publish();
  const asset = await store.index.replace(call, before, { ...fileFields(value, head), ...fields });
  sweepSometimes(call.activation, store);
  return tagged(200, asset);
}
