/** Lists without pages, as the contract states (docs/contract/content.md §5.2), unless `limit` or `after` asks for pages. */
import type { Call } from '#actors/host/call.ts';
import { afterOf, limitOf, pageOf } from './page.ts';
import { rowAs, Rows, type Query, type Row } from './rows.ts';

interface List<T> {
  readonly data: readonly T[];
  readonly count: number;
  readonly page?: ReturnType<typeof pageOf>['page'];
}

export async function wholeList<T extends Row>(
  call: Call,
  entity: string,
  query: Query,
  { limit, after }: Query,
): Promise<List<T>> {
  const rows = new Rows(call, 'internal');
  if (limit === undefined && after === undefined) {
    const data: T[] = [];
    for await (const row of rows.all(entity, query)) data.push(rowAs<T>(row));
    return { data, count: data.length };
  }
  const most = limitOf(limit);
  const asked = { ...query, ...afterOf(after), orderby: 'id', limit: String(most + 1) };
  const found = await rows.list(entity, asked);
  return pageOf(
    found.rows.map((row) => rowAs<T>(row)),
    most,
  );
}
