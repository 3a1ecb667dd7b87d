/** Which locale of a document is meant, and the fallback to the app's default one. */
import { shown } from '#actors/kit/shown.ts';
import { isId } from '../page.ts';
import { end } from '../refused.ts';
import type { Row, Rows } from '../rows.ts';
import type { Desk } from './desk.ts';

/** The document of the path in a locale, else in the default one, in one of some states. */
export async function inLocale(desk: Desk, rows: Rows, locale: string | null, states: readonly string[]): Promise<Row> {
  const id = desk.call.param('id');
  const lost = (): never => end('content.document_not_found', { message: `there is no document ${shown(id)}` });
  if (!isId(id)) return lost();
  const query = { [desk.key]: id, 'status[in]': states.join(',') };
  if (locale === null) return (await rows.find(desk.entity, query)) ?? lost();
  const present = await rows.find(desk.entity, { ...query, locale });
  if (present !== null || locale === desk.locale!.default) return present ?? lost();
  return (await rows.find(desk.entity, { ...query, locale: desk.locale!.default })) ?? lost();
}

/** The wanted locale, the default one, or null for an app without locales. */
export function localeOf({ call, locale }: Desk): string | null {
  const wanted = call.query.get('locale');
  if (locale === null) return wanted === null ? null : end('content.bad_query', { message: 'the app has no locales' });
  if (wanted === null) return locale.default;
  if (!locale.supported.includes(wanted))
    end('content.bad_query', { message: `locale must be one of ${locale.supported.join(', ')}` });
  return wanted;
}
