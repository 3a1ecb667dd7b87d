/** Editors' routes: create a document or a translation of it, change it, delete it. */
import { DOCUMENT_STATES } from '#config/definitions/content/document-fields.ts';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { shown } from '#actors/kit/shown.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { objectOf } from '../body.ts';
import { isId } from '../page.ts';
import { end } from '../refused.ts';
import { rowAs, Rows, type Operation, type Row } from '../rows.ts';
import { withTag } from '../tagged.ts';
import { localeOf } from './locale.ts';
import { Desk } from './desk.ts';
import type { Routes } from '../routes.ts';
import type { Document } from '../shapes.ts';

const OWN = ['published_at', 'version', 'created_at', 'updated_at'];

export async function createDocument(call: Call): Promise<Outcome<Routes['document_create']>> {
  const desk = new Desk(call);
  const body = fieldsOf(call);
  const rows = desk.rows('create', body);
  const id = call.activation.context.ids.next();
  const row = desk.locale === null ? plain(desk, body, id) : await localized(desk, body, id);
  const [document] = await rows.run([create(desk, row)]);
  const key = document![desk.key] as string;
  const location = { Location: `/content/${desk.app.name}/${call.param('type')}/${key}` };
  return reply(201, rowAs<Document>(document!), withTag(document!, location));
}

function plain({ call }: Desk, body: Row, id: string): Row {
  if (Object.hasOwn(body, 'locale') || Object.hasOwn(body, 'document_id'))
    end('content.invalid', { message: 'the app has no locales' });
  return { ...body, ...publishing(call, body, null), id };
}

/** A document begins in the default locale; the data service copies the fields that all locales share. */
async function localized(desk: Desk, body: Row, id: string): Promise<Row> {
  const { call } = desk;
  const { default: first, supported } = desk.locale!;
  const { locale = first, document_id: of } = body;
  if (typeof locale !== 'string' || !supported.includes(locale))
    end('content.invalid', { message: `locale must be one of ${supported.join(', ')}` });
  const row = { ...body, ...publishing(call, body, null), id, locale };
  if (of === undefined) {
    if (locale !== first) end('content.invalid', { message: `a document begins in its default locale, ${first}` });
    return { ...row, document_id: id };
  }
  const parts = typeof of === 'string' ? await partsOf(desk, of) : [];
  const main = parts.find((part) => part['locale'] === first);
  if (main === undefined) return end('content.document_not_found', { message: `there is no document ${shown(of)}` });
  if (parts.some((part) => part['locale'] === locale))
    end('content.conflict', { message: `the document is there in ${locale} already` });
  return { ...row, document_id: of };
}

export async function updateDocument(call: Call): Promise<Outcome<Routes['document_update']>> {
  const desk = new Desk(call);
  const body = fieldsOf(call);
  for (const name of ['locale', 'document_id', 'id'])
    if (Object.hasOwn(body, name)) end('content.invalid', { message: `${name} cannot be changed` });
  const rows = desk.rows('update', body);
  const { part } = await findParts(desk);
  const row = { ...body, ...publishing(call, body, part) };
  const document = await rows.update(desk.entity, part['id'] as string, row, call.header('if-match'));
  return reply(200, rowAs<Document>(document), withTag(document));
}

/** The whole document, or one translation of it. */
export async function deleteDocument(call: Call): Promise<Outcome<Routes['document_delete']>> {
  const desk = new Desk(call);
  const rows = desk.rows('delete');
  const { part, others } = await findParts(desk);
  const one = call.query.get('locale') !== null;
  if (one && others.length > 0 && part['locale'] === desk.locale!.default)
    end('content.conflict', {
      message: 'its translations need the default locale: delete them first, or the whole document',
    });
  const gone = one ? [part] : [part, ...others];
  const [document] = await rows.run(gone.map(({ id }) => ({ action: 'delete', data: { [desk.entity]: { id } } })));
  return reply(200, rowAs<Document>(document!));
}

/** The part of the path's document in the wanted locale, and its other parts; 404. */
async function findParts(desk: Desk): Promise<{ part: Row; others: Row[] }> {
  const id = desk.call.param('id');
  const locale = localeOf(desk);
  const parts = await partsOf(desk, id);
  const part = parts.find((one) => locale === null || one['locale'] === locale);
  if (part === undefined) return end('content.document_not_found', { message: `there is no document ${shown(id)}` });
  return { part, others: parts.filter((one) => one !== part) };
}

async function partsOf({ call, entity, key }: Desk, id: string): Promise<Row[]> {
  if (!isId(id)) return [];
  const most = String(limits.content.localesMax);
  return (await new Rows(call, 'internal').list(entity, { [key]: id, limit: most })).rows;
}

const create = ({ entity }: Desk, row: Row): Operation => ({ action: 'create', data: { [entity]: row } });

/** When a part was published first. */
function publishing(call: Call, { status }: Row, before: Row | null): Row {
  if (status === undefined) return {};
  if (!DOCUMENT_STATES.some((state) => state === status))
    end('content.invalid', { message: `status must be one of ${DOCUMENT_STATES.join(', ')}` });
  const known = before?.['published_at'] ?? null;
  if (status !== 'published' || known !== null) return {};
  return { published_at: timestamp(call.activation.context.clock.now()) };
}

function fieldsOf(call: Call): Record<string, unknown> {
  const body = objectOf(call);
  const own = OWN.find((name) => Object.hasOwn(body, name));
  if (own !== undefined) end('content.invalid', { message: `${own} is set by the service` });
  return body;
}
