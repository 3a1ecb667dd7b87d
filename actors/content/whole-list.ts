/** Lists that are unpaginated, as stated (docs/contract/content.md §5.2), unless `limit` or `after` asks for pages. */
import type { Call } from '#actors/host/call.ts';
import { afterOf, limitOf, pageOf } from './page.ts';
import { Rows } from './rows.ts';
import type { Query, Row } from './rows.ts';

export async function wholeList(call: Call, entity: string, query: Query, { limit, after }: Query): Promise<object> {
  const rows = new Rows(call, 'internal');
  if (limit === undefined && after === undefined) {
    const data: Row[] = [];
    for await (const row of rows.all(entity, query)) data.push(row);
    return { data, count: data.length };
  }
  const most = limitOf(limit);
  const asked = { ...query, ...afterOf(after), orderby: 'id', limit: String(most + 1) };
  return pageOf((await rows.list(entity, asked)).rows, most);
}
