/** What pages of rows ask of the tenant at their place. */
import { queryOptions } from '@tanstack/react-query';
import { versionOf } from '@skep/client';
import type { Place } from '../session/session.ts';
import { keyField, labelField } from './shapes.ts';
import type { EntityDoc, Envelope, FlowState, Machine, Row, Schema } from './shapes.ts';
import { valueOf } from './value.ts';
import { queryOf, type View } from './view.ts';
import type { Where } from './row-pages.ts';

const MINUTE_MS = 60_000;

/** The longest list of versions that a sheet asks for. */
const VERSIONS_MAX = 20;

async function ask<T>({ skep }: Place, path: string, query: URLSearchParams, signal: AbortSignal): Promise<T> {
  const { json } = await skep.transport.send({ method: 'GET', path, query, signal });
  return json as T;
}

const none = (): URLSearchParams => new URLSearchParams();

export const schemaOf = (place: Place) =>
  queryOptions({
    queryKey: ['schema'],
    queryFn: ({ signal }) => ask<Schema>(place, '/data/schema', none(), signal),
    staleTime: 10 * MINUTE_MS,
  });

export const machinesOf = (place: Place) =>
  queryOptions({
    queryKey: ['stateflows'],
    queryFn: async ({ signal }) =>
      (await ask<{ stateflows: readonly Machine[] }>(place, '/data/stateflows', none(), signal)).stateflows,
    staleTime: 10 * MINUTE_MS,
  });

const rest = (entity: string): string => `/data/rest/${encodeURIComponent(entity)}`;

/** How many rows a view has. Without conditions it is read from counters that are kept. */
export const countOf = (place: Place, entity: string, view: Pick<View, 'conditions' | 'deleted'>) =>
  queryOptions({
    queryKey: ['count', entity, view.conditions, view.deleted],
    queryFn: async ({ signal }) => {
      const query = queryOf({ ...view, order: [] });
      if (view.conditions.length > 0 || view.deleted) {
        query.set('[aggregate]', 'count');
        const { data } = await ask<Envelope>(place, rest(entity), query, signal);
        return Number(data[0]?.['count']);
      }
      query.set('limit', '1');
      return (await ask<Envelope>(place, rest(entity), query, signal)).total ?? null;
    },
    staleTime: MINUTE_MS,
  });

/** Asks for a page of the rows of a view, with the names of what they refer to. */
export function pageOf(
  place: Place,
  schema: Schema,
  entity: EntityDoc,
  view: View,
  where: Where,
  limit: number,
  signal: AbortSignal,
): Promise<Envelope> {
  const query = queryOf(view);
  for (const [name, value] of Object.entries(where)) query.set(name, String(value));
  query.set('limit', String(limit));
  query.set('select', shownFields(entity).join());
  addLabels(query, schema, entity);
  return ask<Envelope>(place, rest(entity.name), query, signal);
}

/** Pages of a view for a file: the fields alone. */
export const plainPageOf =
  (place: Place, entity: EntityDoc, view: Pick<View, 'conditions' | 'order' | 'deleted'>) =>
  (after: string, limit: number): Promise<Envelope> => {
    const query = queryOf(view);
    query.set('after', after);
    query.set('limit', String(limit));
    query.set('select', shownFields(entity).join());
    return ask<Envelope>(place, rest(entity.name), query, new AbortController().signal);
  };

/** The rows of these keys, as far as they are there. The keys are in the body: a list in an address is cut at commas, which a key may have. */
export async function rowsOf(
  { skep }: Place,
  entity: EntityDoc,
  ids: readonly string[],
  { order, deleted }: Pick<View, 'order' | 'deleted'>,
): Promise<Envelope> {
  const query = queryOf({ conditions: [], order, deleted });
  query.set('limit', String(ids.length));
  query.set('select', shownFields(entity).join());
  const key = keyField(entity);
  const body = {
    filter: { [entity.primary_key]: { in: ids.map((id) => (key === undefined ? id : valueOf(id, key))) } },
  };
  const path = `${rest(entity.name)}/search`;
  const { json } = await skep.transport.send({ method: 'POST', path, query, body, again: 'safe' });
  return json as Envelope;
}

/** The rows of these keys as they are when they are first shown; asked for again by hand alone, so that nothing changes under a decision. */
export const pickedOf = (place: Place, entity: EntityDoc, ids: readonly string[], view: View) =>
  queryOptions({
    queryKey: ['picked', entity.name, ids, view.deleted],
    queryFn: async () => (await rowsOf(place, entity, ids, view)).data,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });

/** Bytes are nothing for a table. */
export const shownFields = ({ fields }: EntityDoc): string[] =>
  fields.filter(({ type }) => type !== 'bytes').map(({ name }) => name);

function addLabels(query: URLSearchParams, schema: Schema, entity: EntityDoc): void {
  const shown: string[] = [];
  for (const { name, kind, entity: target } of entity.relations) {
    const other = schema.entities.find((one) => one.name === target);
    if (kind !== 'one' || other === undefined) continue;
    const label = labelField(other);
    if (label === other.primary_key) continue;
    shown.push(name);
    query.set(`[${name}][select]`, `${other.primary_key},${label}`);
  }
  if (shown.length > 0) query.set('include', shown.join());
}

export interface Opened {
  readonly row: Row;
  /** Undefined where rows of this entity have none, as those of views. */
  readonly version: number | undefined;
  readonly states: Readonly<Record<string, FlowState>>;
}

export const rowOf = (place: Place, schema: Schema, entity: EntityDoc, id: string) =>
  queryOptions({
    queryKey: ['row', entity.name, id],
    queryFn: async ({ signal }): Promise<Opened> => {
      const query = new URLSearchParams({ states: 'true' });
      if (entity.traits.includes('soft_delete')) query.set('deleted', 'true');
      addLabels(query, schema, entity);
      const path = `${rest(entity.name)}/id/${encodeURIComponent(id)}`;
      const { json, headers } = await place.skep.transport.send({ method: 'GET', path, query, signal });
      const { data, states = [] } = json as Envelope;
      return { row: data[0]!, version: versionIn(headers.get('etag')), states: states[0] ?? {} };
    },
    staleTime: 0,
    gcTime: 0,
  });

/** A row as it is now, also one that is marked as deleted, with its version. */
export async function lookAt({ skep }: Place, entity: EntityDoc, id: string): Promise<Pick<Opened, 'row' | 'version'>> {
  const query = new URLSearchParams(entity.traits.includes('soft_delete') ? { deleted: 'true' } : {});
  const path = `${rest(entity.name)}/id/${encodeURIComponent(id)}`;
  const { json, headers } = await skep.transport.send({ method: 'GET', path, query });
  return { row: (json as Envelope).data[0]!, version: versionIn(headers.get('etag')) };
}

const versionIn = (tag: string | null): number | undefined => {
  const digits = /^"(\d+)"$/.exec(tag ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/** The versions before the newest, the newest first. */
export const versionsOf = (place: Place, entity: EntityDoc, id: string, newest: number) =>
  queryOptions({
    queryKey: ['versions', entity.name, id, newest],
    queryFn: async ({ signal }): Promise<readonly Row[]> => {
      const oldest = Math.max(1, newest - VERSIONS_MAX);
      const numbers = Array.from({ length: newest - oldest + 1 }, (_, i) => newest - i);
      const path = `${rest(entity.name)}/id/${encodeURIComponent(id)}`;
      return Promise.all(
        numbers.map(async (version) => {
          const query = new URLSearchParams({ version: String(version) });
          return (await ask<Envelope>(place, path, query, signal)).data[0]!;
        }),
      );
    },
    staleTime: MINUTE_MS,
  });

export interface Suggestion {
  readonly id: string;
  readonly label: string;
}

/** Rows that a reference may name: those whose label has the text in it. */
export const suggestionsOf = (place: Place, target: EntityDoc, text: string) =>
  queryOptions({
    queryKey: ['suggestions', target.name, text],
    queryFn: async ({ signal }): Promise<readonly Suggestion[]> => {
      const [key, label] = [target.primary_key, labelField(target)];
      const query = new URLSearchParams({ limit: '8', orderby: label, select: `${key},${label}` });
      if (text !== '' && label !== key) query.set(`${label}[ilike]`, `%${text}%`);
      const { data } = await ask<Envelope>(place, rest(target.name), query, signal);
      return data.map((row) => ({ id: String(row[key]), label: String(row[label] ?? row[key]) }));
    },
    staleTime: MINUTE_MS,
  });

/** How many rows that refer to one are named in its sheet. */
const NAMED_MAX = 3;

/** The first rows of an entity that meet these conditions, by their labels. */
export const firstOf = (place: Place, entity: EntityDoc, conditions: View['conditions']) =>
  queryOptions({
    queryKey: ['first', entity.name, conditions],
    queryFn: async ({ signal }): Promise<readonly Suggestion[]> => {
      const [key, label] = [entity.primary_key, labelField(entity)];
      const query = queryOf({ conditions, order: [], deleted: false });
      query.set('limit', String(NAMED_MAX));
      query.set('select', `${key},${label}`);
      const { data } = await ask<Envelope>(place, rest(entity.name), query, signal);
      return data.map((row) => ({ id: String(row[key]), label: String(row[label] ?? row[key]) }));
    },
    staleTime: 0,
  });

/** Changes fields of a row; gives it as it is then, with its version. */
export async function update(
  { skep }: Place,
  entity: EntityDoc,
  id: string,
  changes: Row,
  version?: number,
): Promise<{ row: Row; version: number | undefined }> {
  const row: Row = await skep.from(entity.name).update(id, changes, { version });
  return { row, version: versionOf(row) };
}

/** Creates a row with its files; `body` has a part for each field. */
export async function makeWithFiles({ skep }: Place, entity: EntityDoc, body: FormData): Promise<Row> {
  const { json } = await skep.transport.send({ method: 'POST', path: rest(entity.name), body });
  return (json as Envelope).data[0]!;
}

/** Changes a row and its files. `version`: the one that it must have. */
export async function changeWithFiles(
  { skep }: Place,
  entity: EntityDoc,
  id: string,
  body: FormData,
  version?: number,
): Promise<Row> {
  const path = `${rest(entity.name)}/id/${encodeURIComponent(id)}`;
  const headers: Record<string, string> = version === undefined ? {} : { 'If-Match': `"${version}"` };
  const { json } = await skep.transport.send({ method: 'PATCH', path, body, headers });
  return (json as Envelope).data[0]!;
}
