/** The envelope of a read: rows with their included rows, or groups; the page and the link to the next one. */
import type { Call } from '#actors/host/call.ts';
import type { Rendered } from '#actors/protocol/body.ts';
import { admits } from '#actors/engine/rows/access.ts';
import type { Slots, StoredRow } from '#actors/engine/rows/codec.ts';
import { cursorOf } from '#actors/engine/rows/cursor/cursor.ts';
import { isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import { groupColumns } from '#actors/engine/rows/group/parse.ts';
import type { Related } from '#actors/engine/rows/include/load.ts';
import { jsonText, jsonWriterOf } from '#actors/engine/rows/json-writer.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { Budget } from '#actors/kit/pace/budget.ts';
import { READ_SLICE } from '#actors/engine/rows/pace.ts';
import { changedQuery, type Parameters } from '#actors/engine/rows/parameters.ts';
import { describePlan } from '#actors/engine/rows/access-path.ts';
import { shownColumns, type ShownColumn } from '#actors/engine/rows/path/select.ts';
import { isBackward, type Grouping } from '#actors/engine/rows/query.ts';
import type { Found } from '#actors/engine/rows/read.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { groupSql, includeSql, selectSql } from '#actors/engine/rows/sql.ts';
import { highlighterOf } from '#actors/engine/search/highlight.ts';
import { hasFuelForRow, inFuel, OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { limits } from '#config/limits.ts';
import { statesOf } from '#actors/engine/machines/possible.ts';
import type { Envelope } from '../shapes.ts';
import { asksStates, renderEnvelope } from './envelope.ts';
import { rowHash } from './row-hash.ts';

export interface Shown {
  readonly text: Rendered<Envelope>;
  /** The link to the next page, where the request pages. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

type Write = (row: StoredRow) => string;

/** The envelope of a read; in slices when there are many rows to write. 422 when a cursor would be too long. */
export function foundEnvelope(
  call: Call,
  session: Session,
  model: EntityModel,
  parameters: Parameters,
  found: Found,
  beganMs: number,
): Shown | Failure | Promise<Shown | Failure> {
  const finish = (data: readonly string[], states: readonly string[], lights: readonly string[]): Shown | Failure => {
    const paging = pagingOf(call, session, model, parameters, found);
    if (isFailure(paging)) return paging;
    const stats = () => ({
      sql: found.query.group === null ? selectSql(model, found.query) : groupSql(model, found.query, found.query.group),
      duration_ms: session.clock.now() - beganMs,
      total_count: found.total ?? data.length,
      include_sql: found.related.flatMap((related) => includeSql(related, found.query.deleted)),
      rows_affected: 0,
      plan: describePlan(found.plan, (field) => model.column(field) !== undefined),
    });
    const more = light === null ? paging.text : `${paging.text},"highlights":[${lights.join(',')}]`;
    const text = renderEnvelope(model, data, found.total, parameters, stats, () => states, more);
    return { text, headers: paging.headers };
  };
  const light = highlightsOf(model, found);
  if (found.groups !== null)
    return finish(
      groupTexts(model, found, found.query.group!),
      found.groups.map(() => '{}'),
      [],
    );
  const write = writerOf(model, found, parameters.flag('sendhash'));
  const states: Write = ({ slots }) => JSON.stringify(statesOf(session, model, slots));
  const stateful = asksStates(parameters) ? found.rows : [];
  const isShort = found.rows.length <= limits.data.sliceScanRowsMax && stateful.length <= limits.data.statesTurnRowsMax;
  const lit = light === null ? [] : found.rows;
  const now = isShort && found.related.length === 0;
  const data = now ? writtenNow(found.rows, write) : [];
  const each = now ? writtenNow(stateful, states) : [];
  const lights = now && light !== null ? writtenNow(lit, light) : [];
  if (data.length === found.rows.length && each.length === stateful.length && lights.length === lit.length)
    return finish(data, each, lights);
  const rest = [writeRest(session, found.rows, write, data), writeRest(session, stateful, states, each)];
  if (light !== null) rest.push(writeRest(session, lit, light, lights));
  return Promise.all(rest).then(() => finish(data, each, lights));
}

/** Writes where the words of a search stand in a row; null where that is not asked. Masked fields are shown only where the row shows them. */
function highlightsOf(model: EntityModel, { query, unmasked }: Found): Write | null {
  if (query.text?.highlight !== true || model.text === null) return null;
  const isShown = (name: string): boolean =>
    (query.select === null || query.select.includes(name)) && (model.column(name)?.mask === null || unmasked === 'all');
  const highlight = highlighterOf(model.text, query.text, isShown);
  return ({ slots }) => JSON.stringify(highlight(slots));
}

/** The first rows as text: as many as the turn's fuel allows and a slice has room for. */
function writtenNow(rows: readonly StoredRow[], write: Write): string[] {
  const texts: string[] = [];
  let chars = 0;
  try {
    inFuel(() => {
      for (let i = 0; i < rows.length && chars < limits.data.sliceTextMax; i++) {
        const text = write(rows[i]!);
        texts.push(text);
        chars += text.length;
      }
    });
  } catch (error) {
    if (!(error instanceof OutOfFuel)) throw error;
  }
  return texts;
}

/** Adds the rows that `texts` lacks, in slices. */
async function writeRest(session: Session, rows: readonly StoredRow[], write: Write, texts: string[]): Promise<void> {
  if (texts.length === rows.length) return;
  if (texts.length > 0 || !hasFuelForRow()) await session.yieldTurn();
  const pace = new Budget(session.clock, READ_SLICE);
  while (texts.length < rows.length) {
    texts.push(inFuel(() => write(rows[texts.length]!)));
    if (!pace.spend(1)) continue;
    await session.yieldTurn();
    pace.next();
  }
}

/** Rows as they are shown: the selected columns in the order of the request, masked, with their included rows. */
function writerOf(model: EntityModel, { query, related, unmasked }: Found, hash: boolean): Write {
  if (query.select === null && related.length === 0 && unmasked === 'none' && !hash) return model.jsonOf;
  const columns = shownWith(model, query.select, related);
  const masked =
    columns.length === model.columns.length && query.select === null ? model.jsonOf : textOf(columns, false);
  const open = unmasked === 'none' ? masked : textOf(columns, true);
  const base: Write = (row) => (unmasked !== 'none' && admits(unmasked, row.slots) ? open(row) : masked(row));
  const own = unmasked === 'none' ? masked : base;
  const hashed: Write = hash ? (row) => appended(own(row), `"hash":"${rowHash(own(row))}"`) : own;
  return related.length === 0 ? hashed : withRelated(hashed, related);
}

/** The columns to show. Where a reference has the name of its relation, the included row takes its place. */
function shownWith(
  model: EntityModel,
  select: readonly string[] | null,
  related: readonly Related[],
): readonly ShownColumn[] {
  const hidden = new Set(related.map(({ include }) => include.relation));
  const all = select === null ? model.columns : shownColumns(model, select);
  return all.filter(({ name }) => !hidden.has(name));
}

function textOf(columns: readonly ShownColumn[], unmasked: boolean): Write {
  const write = jsonWriterOf(columns, unmasked);
  return ({ slots }) => write(slots);
}

function appended(object: string, members: string): string {
  return object === '{}' ? `{${members}}` : `${object.slice(0, -1)},${members}}`;
}

function withRelated(write: Write, related: readonly Related[]): Write {
  const members = related.map((one) => memberOf(one));
  return (row) => appended(write(row), members.map((member) => member(row.slots)).join(','));
}

/** One relation of a row: an object or null, or a list of rows, or of their keys. Included rows are always masked. */
function memberOf({ include, model, rows, related }: Related): (slots: Slots) => string {
  const { relation, reference, many } = include;
  const own =
    include.asked?.select == null ? model.jsonOf : textOf(shownWith(model, include.asked.select, related), false);
  const write = related.length === 0 ? own : withRelated(own, related);
  const at = many ? reference.to.key.at : reference.column.at;
  const name = JSON.stringify(relation);
  const keyOf = keyWriter(model);
  return (slots) => {
    const found = rows.get(slots[at]);
    if (include.ids === true) return `${name}:[${(found ?? []).map(keyOf).join(',')}]`;
    if (many) return `${name}:[${(found ?? []).map(write).join(',')}]`;
    return `${name}:${found === undefined ? 'null' : write(found[0]!)}`;
  };
}

const keyWriter =
  ({ key: { at, mask } }: EntityModel): Write =>
  ({ slots }) =>
    jsonText(mask === null ? slots[at] : mask(slots[at]));

function groupTexts(model: EntityModel, { groups }: Found, { by, aggregates }: Grouping): string[] {
  const columns = [...groupColumns(model, by, aggregates).values()];
  return groups!.map((group) => {
    // No mask here: findRows refuses a group by a masked field to callers who may not see it.
    const members = columns.map(({ name, at }) => `${JSON.stringify(name)}:${jsonText(group[at])}`);
    return `{${members.join(',')}}`;
  });
}

interface Paging {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

const NO_PAGING: Paging = { text: '', headers: undefined };

/** The `page` block where cursors are used, and a link to the next page for every request that pages. */
function pagingOf(
  call: Call,
  session: Session,
  model: EntityModel,
  parameters: Parameters,
  found: Found,
): Paging | Failure {
  const { query, more } = found;
  if (!query.peek) return NO_PAGING;
  if (!parameters.cursors)
    return { text: '', headers: more ? link(call, 'next', nextOffset(parameters, query)) : undefined };
  const end = edge(session, model, found, found.rows.at(-1));
  if (isFailure(end)) return end;
  if (!isBackward(query)) {
    const text = `,"page":${JSON.stringify({ has_next_page: more, end_cursor: end })}`;
    return { text, headers: more && end !== null ? link(call, 'next', { after: end }) : undefined };
  }
  const start = edge(session, model, found, found.rows[0]);
  if (isFailure(start)) return start;
  // The row of the cursor lies after this page.
  const page = { has_next_page: true, end_cursor: end, has_previous_page: more, start_cursor: start };
  return {
    text: `,"page":${JSON.stringify(page)}`,
    headers: more && start !== null ? link(call, 'prev', { before: start }) : undefined,
  };
}

function edge(
  session: Session,
  model: EntityModel,
  { query }: Found,
  row: StoredRow | undefined,
): string | null | Failure {
  return row === undefined ? null : cursorOf(session, model, query.order, row.slots);
}

function nextOffset(parameters: Parameters, { offset, limit }: Found['query']): Record<string, string> {
  if (parameters.first('offset') !== undefined) return { offset: String(offset + limit) };
  return { page: String(offset / limit + 2) };
}

/** The longest link that fits an answer's head; a longer query is paged by its cursors alone. */
const LINK_CHARS_MAX = 4096;

/** A reference that is only a query means the same path (RFC 3986 §5.2.2): the gateway's or the service's own. */
function link(
  call: Call,
  rel: 'next' | 'prev',
  changes: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  const value = `<?${changedQuery(call.query, changes)}>; rel="${rel}"`;
  return value.length > LINK_CHARS_MAX ? undefined : { Link: value };
}
