/** What the pages of content ask of the tenant at their place. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { content, isSkepError, type Document, type DocumentPage } from '@skep/client';
import type { Place } from '../session/session.ts';
import type { DocumentsSearch } from './search.ts';
import type { App, DeliveryPage, Locales, Type, Version } from './shapes.ts';
import type { DeliveryOutcome } from './states.ts';

/** Of one page of documents. */
const PAGE = 50;
/** Of one page of versions: each is a read. */
const VERSIONS = 20;
const MINUTE_MS = 60_000;

export const appsOf = (place: Place) =>
  queryOptions({
    queryKey: ['content', 'apps'],
    queryFn: async ({ signal }) => {
      const { json } = await place.skep.transport.send({ method: 'GET', path: '/content/-/apps', signal });
      return (json as { readonly apps: readonly App[] }).apps;
    },
    staleTime: 10 * MINUTE_MS,
  });

export const typeOf = (place: Place, app: string, type: string) =>
  queryOptions({
    queryKey: ['content', 'type', app, type],
    queryFn: async ({ signal }) => {
      const path = `/content/-/apps/${encodeURIComponent(app)}/${encodeURIComponent(type)}`;
      return (await place.skep.transport.send({ method: 'GET', path, signal })).json as Type;
    },
    staleTime: 10 * MINUTE_MS,
  });

export interface Found extends DocumentPage<Document> {
  /** The rules of the app keep from this login what is not published. */
  readonly isPublishedAlone: boolean;
}

/** Newest first, a page at a time. */
export const documentsOf = (place: Place, app: string, type: string, { locale, status }: DocumentsSearch) =>
  infiniteQueryOptions({
    queryKey: ['content', 'documents', app, type, locale ?? '', status ?? ''],
    queryFn: async ({ pageParam, signal }): Promise<Found> => {
      const asked = { limit: PAGE, orderBy: '-id', after: pageParam, signal, ...(locale !== undefined && { locale }) };
      const of = content(place.skep, app);
      try {
        return { ...(await of.page(type, { ...asked, status: status ?? 'any' })), isPublishedAlone: false };
      } catch (error) {
        if (!isSkepError(error, 'content.forbidden')) throw error;
        return { ...(await of.page(type, asked)), isPublishedAlone: true };
      }
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next ?? undefined,
  });

/** A document in a language, whatever its state; null where it has none in this language. `locale` is null of an app without languages. */
export const partOf = (place: Place, app: string, type: string, id: string, locale: string | null) =>
  queryOptions({
    queryKey: ['content', 'part', app, type, id, locale ?? ''],
    queryFn: async ({ signal }): Promise<Document | null> => {
      const asked = { status: 'any', signal, ...(locale !== null && { locale }) } as const;
      const found = await content(place.skep, app).get(type, id, asked);
      return locale === null || found.locale === locale ? found : null;
    },
    staleTime: 0,
  });

/** What a reader of this language gets; null where that is 404. */
export const publicOf = (place: Place, app: string, type: string, id: string, locale: string | null) =>
  queryOptions({
    queryKey: ['content', 'public', app, type, id, locale ?? ''],
    queryFn: async ({ signal }): Promise<Document | null> => {
      try {
        return await content(place.skep, app).get(type, id, { signal, ...(locale !== null && { locale }) });
      } catch (error) {
        if (isSkepError(error, 'content.document_not_found')) return null;
        throw error;
      }
    },
    staleTime: 0,
  });

const documentAt = (app: string, type: string, id: string, part = ''): string =>
  `/content/${[app, type, id].map(encodeURIComponent).join('/')}${part}`;

interface VersionsPage {
  readonly data: readonly Version[];
  readonly page: { readonly has_next_page: boolean; readonly end_cursor: string | null };
}

/** Of one language, newest first, a page at a time. `now`: the newest one, as it is known: another one is asked for anew. */
export const versionsOf = (place: Place, app: string, type: string, id: string, locale: string | null, now: number) =>
  infiniteQueryOptions({
    queryKey: ['content', 'versions', app, type, id, locale ?? '', now],
    queryFn: async ({ pageParam, signal }) => {
      const query = new URLSearchParams({
        limit: String(VERSIONS),
        ...(locale !== null && { locale }),
        ...(pageParam !== null && { after: pageParam }),
      });
      const ask = { method: 'GET', path: documentAt(app, type, id, '/versions'), query, signal };
      return (await place.skep.transport.send(ask)).json as VersionsPage;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ page }) => (page.has_next_page ? (page.end_cursor ?? undefined) : undefined),
  });

/** The document as it was; it never changes. */
export const versionAt = (
  place: Place,
  app: string,
  type: string,
  id: string,
  locale: string | null,
  version: number,
) =>
  queryOptions({
    queryKey: ['content', 'version', app, type, id, locale ?? '', version],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ version: String(version), ...(locale !== null && { locale }) });
      const ask = { method: 'GET', path: documentAt(app, type, id), query, signal };
      return (await place.skep.transport.send(ask)).json as Document;
    },
    staleTime: Infinity,
  });

/** Those that wait, then those that ended, newest first. */
export const deliveriesOf = (place: Place, outcome: DeliveryOutcome | undefined) =>
  infiniteQueryOptions({
    queryKey: ['content', 'deliveries', outcome ?? ''],
    queryFn: async ({ pageParam, signal }) => {
      const query = new URLSearchParams({
        limit: String(PAGE),
        ...(outcome !== undefined && { outcome }),
        ...(pageParam !== null && { after: pageParam }),
      });
      const ask = { method: 'GET', path: '/content/-/deliveries', query, signal };
      return (await place.skep.transport.send(ask)).json as DeliveryPage;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ page }) => page.end_cursor ?? undefined,
  });

/** Puts a delivery that ended back under its id; one that waits is tried soon. */
export async function redeliver({ skep }: Place, id: string): Promise<void> {
  await skep.transport.send({ method: 'POST', path: `/content/-/deliveries/${encodeURIComponent(id)}/redeliver` });
}

/** More languages than these are looked at when they are opened. */
const LOOKED_AT_MAX = 16;

/** The languages of an app whose parts are looked at beside the one that is shown. */
export const lookedAt = (locale: Locales | null): readonly string[] =>
  locale === null ? [] : locale.supported.slice(0, LOOKED_AT_MAX);

export const localeQuery = (locale: string | null) => (locale === null ? {} : { locale });
export const versionQuery = ({ version }: Document) => (typeof version === 'number' ? { version } : {});
