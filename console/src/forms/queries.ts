/** What pages of forms ask of the tenant at their place. Each question is on record: lists are asked again while a reader is there (`parts/live.tsx`), and a submission that waits a few times. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Place } from '../session/session.ts';
import type { EntityDoc, Envelope } from '../data/shapes.ts';
import { readExport, type ExportPart } from './read-export.ts';
import { idBehind, isUlid } from './ulid.ts';
import type { Outcome, Submission, SubmissionsPage, Trigger } from './shapes.ts';

const ADMIN = '/data/admin/data';
const SUBMISSIONS = `${ADMIN}/submissions`;
/** How many of the newest submissions say which forms there are. */
const NEWEST = 100;
/** How many pages without a submission that fits are asked for before the reader is. */
const LOOKS_MAX = 10;
/** Where a file of submissions ends, so that the page can hold it. */
const EXPORT_CHARS_MAX = 32 * 1024 * 1024;

type Query = Record<string, string>;

async function get<T>({ skep }: Place, path: string, query: Query, signal?: AbortSignal): Promise<T> {
  const answer = await skep.transport.send({ method: 'GET', path, query: new URLSearchParams(query), signal });
  return answer.json as T;
}

export const triggersOf = (place: Place) =>
  queryOptions({
    queryKey: ['forms', 'triggers'],
    queryFn: async ({ signal }) =>
      (await get<{ readonly triggers: readonly Trigger[] }>(place, `${ADMIN}/triggers`, {}, signal)).triggers,
  });

/** The newest submissions of all forms. */
export const newestOf = (place: Place) =>
  queryOptions({
    queryKey: ['forms', 'newest'],
    queryFn: async ({ signal }) =>
      (await get<SubmissionsPage>(place, SUBMISSIONS, { limit: String(NEWEST) }, signal)).submissions,
  });

/** A page at a time, newest first. */
export const submissionsOf = (place: Place, form: string, outcome: Outcome | undefined) =>
  infiniteQueryOptions({
    queryKey: ['forms', 'list', form, outcome ?? null],
    queryFn: async ({ pageParam, signal }) => {
      const wanted: Query = { form, ...(outcome !== undefined && { outcome }) };
      let before = pageParam;
      // A page ends where looking took its time, also without a submission that fits.
      for (let looks = 1; ; looks++) {
        const query: Query = { ...wanted, ...(before !== null && { before }) };
        const page = await get<SubmissionsPage>(place, SUBMISSIONS, query, signal);
        if (page.submissions.length > 0 || page.next === null || looks === LOOKS_MAX) return page;
        before = page.next;
      }
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next ?? undefined,
  });

/** One by its id; null where the tenant does not keep it. The list before the id right behind it begins with it. */
export const submissionOf = (place: Place, id: string) =>
  queryOptions({
    queryKey: ['forms', 'one', id],
    queryFn: async ({ signal }): Promise<Submission | null> => {
      if (!isUlid(id)) return null;
      const before = idBehind(id);
      const query: Query = { limit: '1', ...(before !== null && { before }) };
      const { submissions } = await get<SubmissionsPage>(place, SUBMISSIONS, query, signal);
      return submissions.find((one) => one.id === id) ?? null;
    },
  });

/** The key of the row that says of itself that it was made of this submission; null where none does. */
export const rowMadeOf = (place: Place, entity: EntityDoc, field: string, id: string) =>
  queryOptions({
    queryKey: ['forms', 'row', entity.name, field, id],
    queryFn: async ({ signal }): Promise<string | null> => {
      const query: Query = { [field]: id, limit: '1', select: entity.primary_key };
      const path = `/data/rest/${encodeURIComponent(entity.name)}`;
      const { data } = await get<Envelope>(place, path, query, signal);
      return data[0] === undefined ? null : String(data[0][entity.primary_key]);
    },
  });

/** Runs the trigger that the form has now for a submission that it did not run for, or that failed. */
export async function retry({ skep }: Place, id: string): Promise<void> {
  await skep.transport.send({ method: 'POST', path: `${ADMIN}/triggers/events/${encodeURIComponent(id)}/retry` });
}

/** Submissions of a form from behind one on, as far as a file holds them. Throws where an answer is not whole. */
export async function exportOf({ skep }: Place, form: string, after: string | null): Promise<ExportPart> {
  const texts: string[] = [];
  let count = 0;
  let next = after;
  for (let chars = 0; chars < EXPORT_CHARS_MAX;) {
    const query = new URLSearchParams({ form, ...(next !== null && { after: next }) });
    const answer = await skep.transport.open({ method: 'GET', path: `${SUBMISSIONS}/export`, query });
    const page = readExport(await answer.text());
    texts.push(page.text);
    chars += page.text.length;
    count += page.count;
    next = page.next;
    if (next === null) break;
  }
  return { text: texts.join(''), count, next };
}
