/** Tags: the words that a tenant's editors have agreed on. An asset carries the words themselves. */
import { TAG_ENTITY } from '#config/definitions/content/shapes.ts';
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { reply } from '#actors/protocol/route.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { objectOf } from '../body.ts';
import { demand } from '../judge.ts';
import { isId, knownParameters } from '../page.ts';
import { storeOf } from '../part.ts';
import { end } from '../refused.ts';
import { Rows } from '../rows.ts';
import type { Row } from '../rows.ts';
import { wholeList } from '../whole-list.ts';

export async function listTags(call: Call): Promise<Reply<200>> {
  const store = storeOf(call);
  demand(call, store.judge, { operation: 'readtag', of: store.name });
  return reply(200, await wholeList(call, TAG_ENTITY, {}, knownParameters(call, ['limit', 'after'])));
}

export async function readTag(call: Call): Promise<Reply<200>> {
  return reply(200, await findTag(call, 'readtag'));
}

export async function createTag(call: Call): Promise<Reply<201>> {
  const store = storeOf(call);
  const body = objectOf(call);
  demand(call, store.judge, { operation: 'createtag', of: store.name, data: body });
  const [tag] = await new Rows(call, 'internal').run([{ action: 'create', data: { [TAG_ENTITY]: body } }]);
  return reply(201, tag, { Location: `/store/${store.name}/tag/${tag!['id'] as string}` });
}

export async function updateTag(call: Call): Promise<Reply<200>> {
  const body = objectOf(call);
  const { id } = await findTag(call, 'updatetag', body);
  return reply(200, await new Rows(call, 'internal').update(TAG_ENTITY, id as string, body));
}

export async function deleteTag(call: Call): Promise<Reply<200>> {
  const { id } = await findTag(call, 'deletetag');
  return reply(200, await new Rows(call, 'internal').remove(TAG_ENTITY, id as string));
}

async function findTag(call: Call, operation: string, data?: object): Promise<Row> {
  const store = storeOf(call);
  const id = call.param('id');
  const row = isId(id) ? await new Rows(call, 'internal').get(TAG_ENTITY, id) : null;
  demand(call, store.judge, { operation, of: store.name, id, row, ...(data !== undefined && { data }) });
  return row ?? end('content.tag_not_found', { message: `there is no tag ${shown(id)}` });
}
