/** Delivery: published documents in a locale, else in the app's default one (docs/contract/content.md §6). */
import { DOCUMENT_STATES } from '#config/definitions/content/document-fields.ts';
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { keptAtPosition, type CachingHeaders } from '#actors/protocol/caching.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { limitOf } from '../page.ts';
import { end } from '../refused.ts';
import { rowAs, Rows, type Query, type Row } from '../rows.ts';
import { withTag } from '../tagged.ts';
import { Desk } from './desk.ts';
import { inLocale, localeOf } from './locale.ts';
import { secretOf } from './preview.ts';
import { isPreview } from './preview-token.ts';
import { versionOf } from './versions.ts';
import type { Routes } from '../routes.ts';
import type { Document } from '../shapes.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };
const PAGING = new Set(['limit', 'after', 'orderby', 'locale', 'status']);
const FILTER = /^([a-z][a-z0-9_]{0,62})(?:\[[a-z]{1,8}\])?$/;

export async function readDocument(call: Call): Promise<Outcome<Routes['document_read']>> {
  const desk = new Desk(call);
  const token = call.query.get('preview') ?? call.header('x-preview-token') ?? null;
  if (token !== null) return shownAs(await previewed(desk, token), NO_STORE);
  const version = call.query.get('version');
  if (version !== null) return shownAs(await versionOf(desk, version), NO_STORE);
  const states = statesOf(desk.call.query.get('status'));
  const rows = desk.rows(states === null ? 'read' : 'preview');
  const found = await inLocale(desk, rows, localeOf(desk), states ?? ['published']);
  return shownAs(found, keeping(call, states));
}

function shownAs(row: Row, headers: Readonly<Record<string, string>>): Outcome<Routes['document_read']> {
  return reply(200, rowAs<Document>(row), withTag(row, headers));
}

/** Caches may keep published documents, and revalidate them each time; an answer that needed a credential only its caller's cache. */
function keeping({ principal }: Call, states: readonly string[] | null): CachingHeaders | typeof NO_STORE {
  if (states !== null) return NO_STORE;
  return keptAtPosition(principal === null ? 'no-cache' : 'private, no-cache');
}

/** The token is the credential: it shows this one document, whatever its state. */
async function previewed(desk: Desk, token: string): Promise<Row> {
  const { call, app, type } = desk;
  const claim = { tenant: call.activation.position.key, app: app.name, type: type.name, document: call.param('id') };
  const secrets = await Promise.all(app.definition.previewSecrets.map((secret) => secretOf(call, secret)));
  const now = call.activation.context.clock.now();
  const present = secrets.filter((secret) => secret !== null);
  if (!(await isPreview(present, token, claim, now))) end('content.preview_token_invalid', { headers: NO_STORE });
  return inLocale(desk, new Rows(call, 'internal'), localeOf(desk), DOCUMENT_STATES);
}

/** States that an editor asks for; null for the list of published documents. */
function statesOf(text: string | null): readonly string[] | null {
  if (text === null) return null;
  if (text === 'any') return DOCUMENT_STATES;
  if (!DOCUMENT_STATES.some((state) => state === text))
    end('content.bad_query', { message: `status must be any, or one of ${DOCUMENT_STATES.join(', ')}` });
  return [text];
}

/** A list selects documents by their default locale, and shows each in the wanted locale when it has that. */
export async function listDocuments(call: Call): Promise<Outcome<Routes['document_list']>> {
  const desk = new Desk(call);
  const states = statesOf(call.query.get('status'));
  const rows = desk.rows(states === null ? 'read' : 'preview');
  const locale = localeOf(desk);
  const shownStates = (states ?? ['published']).join(',');
  const limit = limitOf(call.query.get('limit') ?? undefined);
  const query = {
    ...filtersOf(desk),
    'status[in]': shownStates,
    limit: String(limit),
    after: call.query.get('after') ?? '',
  };
  const first = desk.locale === null ? query : { ...query, locale: desk.locale.default };
  const { rows: found, next } = await rows.list(desk.entity, first);
  const data = (await translated(desk, rows, found, locale, shownStates)).map((row) => rowAs<Document>(row));
  const page = { has_next_page: next !== null, end_cursor: next };
  const headers = {
    ...keeping(call, states),
    ...(next !== null && { Link: `<?${nextQuery(call, next)}>; rel="next"` }),
  };
  return reply(200, { data, count: data.length, page }, headers);
}

async function translated(desk: Desk, rows: Rows, found: readonly Row[], locale: string | null, states: string) {
  if (locale === null || locale === desk.locale!.default || found.length === 0) return found;
  const ids = found.map((row) => row['document_id'] as string).join(',');
  const query = { 'document_id[in]': ids, locale, 'status[in]': states, limit: String(found.length) };
  const others = new Map((await rows.list(desk.entity, query)).rows.map((row) => [row['document_id'], row]));
  return found.map((row) => others.get(row['document_id']) ?? row);
}

/** Predicates on fields of the type, as the data service takes them; nothing else of its parameters passes. */
function filtersOf({ call, entity }: Desk): Query {
  const fields = call.activation.product.entities[entity]!.fields;
  const query: Record<string, string> = { orderby: call.query.get('orderby') ?? 'id' };
  for (const [name, value] of call.query) {
    if (PAGING.has(name)) continue;
    const field = FILTER.exec(name)?.[1];
    if (field === undefined || !Object.hasOwn(fields, field))
      end('content.bad_query', { message: `there is no parameter ${shown(name)}` });
    if (Object.hasOwn(query, name)) end('content.bad_query', { message: `${shown(name)} is there twice` });
    query[name] = value;
  }
  return query;
}

function nextQuery({ query }: Call, after: string): string {
  const next = new URLSearchParams(query);
  next.set('after', after);
  return next.toString();
}
