/** Tags: the words that a tenant's editors have agreed on. Assets hold the words, not the tags' ids. */
import { TAG_ENTITY } from '#config/definitions/content/shapes.ts';
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { objectOf } from '../body.ts';
import { demand } from '../judge.ts';
import { isId, knownParameters } from '../page.ts';
import { storeOf } from '../part.ts';
import { end } from '../refused.ts';
import { rowAs, Rows, type Row } from '../rows.ts';
import { wholeList } from '../whole-list.ts';
import type { Routes } from '../routes.ts';
import type { Tag } from '../shapes.ts';

export async function listTags(call: Call): Promise<Outcome<Routes['tag_list']>> {
  const store = storeOf(call);
  demand(call, store.judge, { operation: 'readtag', of: store.name });
  return reply(200, await wholeList<Tag>(call, TAG_ENTITY, {}, knownParameters(call, ['limit', 'after'])));
}

export async function readTag(call: Call): Promise<Outcome<Routes['tag_read']>> {
  return reply(200, rowAs<Tag>(await findTag(call, 'readtag')));
}

export async function createTag(call: Call): Promise<Outcome<Routes['tag_create']>> {
  const store = storeOf(call);
  const body = objectOf(call);
  demand(call, store.judge, { operation: 'createtag', of: store.name, data: body });
  const [tag] = await new Rows(call, 'internal').run([{ action: 'create', data: { [TAG_ENTITY]: body } }]);
  return reply(201, rowAs<Tag>(tag!), { Location: `/store/${store.name}/tag/${tag!['id'] as string}` });
}

export async function updateTag(call: Call): Promise<Outcome<Routes['tag_update']>> {
  const body = objectOf(call);
  const { id } = await findTag(call, 'updatetag', body);
  return reply(200, rowAs<Tag>(await new Rows(call, 'internal').update(TAG_ENTITY, id as string, body)));
}

export async function deleteTag(call: Call): Promise<Outcome<Routes['tag_delete']>> {
  const { id } = await findTag(call, 'deletetag');
  return reply(200, rowAs<Tag>(await new Rows(call, 'internal').remove(TAG_ENTITY, id as string)));
}

async function findTag(call: Call, operation: string, data?: object): Promise<Row> {
  const store = storeOf(call);
  const id = call.param('id');
  const row = isId(id) ? await new Rows(call, 'internal').get(TAG_ENTITY, id) : null;
  demand(call, store.judge, { operation, of: store.name, id, row, ...(data !== undefined && { data }) });
  return row ?? end('content.tag_not_found', { message: `there is no tag ${shown(id)}` });
}
