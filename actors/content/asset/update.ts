/** PATCH /store/{name}/asset/{id}: fields as JSON, or a new file with them as multipart. */
import type { Call } from '#actors/host/call.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { objectOf } from '../body.ts';
import { storeOf, type OpenStore } from '../part.ts';
import type { Row } from '../rows.ts';
import { withTag } from '../tagged.ts';
import { withForm } from './create.ts';
import { assetOf, checkFields, fileFields } from './fields.ts';
import { checkFolder, findAsset } from './find.ts';
import type { AssetForm } from './form.ts';
import { checkMatch } from './match.ts';
import { sweepSometimes } from './sweep.ts';
import type { Routes } from '../routes.ts';

type Updated = Outcome<Routes['asset_update']>;

const operation = 'updateasset';

export async function updateAsset(call: Call): Promise<Updated> {
  const store = storeOf(call);
  if (call.stream === null) return updateFields(call, store, checkFields(store, objectOf(call)));
  await findAsset(call, store, operation);
  return withForm(call, store, (form) =>
    form.uploaded === null ? updateFields(call, store, form.fields) : replaceFile(call, store, form),
  );
}

async function updateFields(call: Call, store: OpenStore, fields: Row): Promise<Updated> {
  const { id } = await findAsset(call, store, operation, fields);
  await checkFolder(call, store, fields['folder_id']);
  return shown(store, await store.index.update(call, id as string, fields));
}

/** A new file is a new version. */
async function replaceFile(call: Call, store: OpenStore, form: AssetForm): Promise<Updated> {
  const { fields } = form;
  const { value, head } = form.uploaded!;
  const before = await findAsset(call, store, operation, fields);
  await checkFolder(call, store, fields['folder_id']);
  checkMatch(call, before);
  await form.publish();
  const asset = await store.index.replace(call, before, { ...fileFields(value, head), ...fields });
  sweepSometimes(call.activation, store);
  return shown(store, asset);
}

function shown(store: OpenStore, row: Row): Updated {
  return reply(200, assetOf(store, row), withTag(row));
}
