/** Earlier states of a document, for callers that the app's `preview` rule admits to unpublished documents. */
import { DOCUMENT_STATES } from '#config/definitions/content/document-fields.ts';
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { knownParameters, limitOf } from '../page.ts';
import { end } from '../refused.ts';
import { rowAs, type Row, type Rows } from '../rows.ts';
import type { DocumentVersion } from '../shapes.ts';
import { inLocale, localeOf } from './locale.ts';
import { Desk } from './desk.ts';
import type { Routes } from '../routes.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };
const NUMBER = /^[1-9]\d{0,14}$/;

/** The versions of a document's part in the wanted locale, the newest first. Each is one read, so a page is bounded as every list. */
export async function listVersions(call: Call): Promise<Outcome<Routes['document_versions']>> {
  const given = knownParameters(call, ['locale', 'limit', 'after']);
  const desk = new Desk(call);
  const { rows, part, newest } = await versioned(desk);
  const limit = limitOf(given['limit']);
  const data: DocumentVersion[] = [];
  let number = given['after'] === undefined ? newest : Math.min(newest, numberOf('after', given['after']) - 1);
  for (; number > 0 && data.length < limit; number--) {
    const row = await rows.get(desk.entity, part['id'] as string, { version: String(number) });
    if (row !== null) data.push(rowAs({ number, status: row['status'], updated_at: row['updated_at'] }));
  }
  const page = { has_next_page: number > 0, end_cursor: data.length === 0 ? null : String(number + 1) };
  return reply(200, { data, count: data.length, page }, NO_STORE);
}

/** The document as it was in a version. */
export async function versionOf(desk: Desk, text: string): Promise<Row> {
  const number = numberOf('version', text);
  const { rows, part } = await versioned(desk);
  const row = await rows.get(desk.entity, part['id'] as string, { version: String(number) });
  return row ?? end('content.document_not_found', { message: `the document has no version ${number}` });
}

async function versioned(desk: Desk): Promise<{ rows: Rows; part: Row; newest: number }> {
  const rows = desk.rows('preview');
  if (!desk.app.definition.versioned)
    return end('content.invalid', {
      message: `the app ${desk.app.name} keeps no versions: version.enabled is not set`,
    });
  const part = await inLocale(desk, rows, localeOf(desk), DOCUMENT_STATES);
  return { rows, part, newest: part['version'] as number };
}

function numberOf(parameter: string, text: string): number {
  if (NUMBER.test(text)) return Number(text);
  return end('content.bad_query', { message: `${parameter} must be the number of a version, not ${shown(text)}` });
}
