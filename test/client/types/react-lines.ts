/** Right lines of hooks, and wrong ones: each of these is a compile error, which types.test.ts counts. Nothing here is run. */
import { createClient, versionOf } from '@skep/client';
import {
  keyOf,
  SkepProvider,
  useAuth,
  useChannel,
  useCreate,
  useInfiniteList,
  useList,
  useLive,
  useRemove,
  useRow,
  useSkep,
  useUpdate,
  useUser,
} from '@skep/client/react';
import type { Schema } from './schema.ts';

declare module '@skep/client/react' {
  interface Register {
    readonly schema: Schema;
    readonly channels: {
      readonly ticket: { readonly state: { readonly typing: boolean }; readonly payload: { readonly saved: true } };
    };
  }
}

type Status = 'open' | 'solved' | 'closed';

export function Lines(): unknown[] {
  const skep = createClient<Schema>({ url: 'https://node.example.org', position: 'acme:desk:dev:main' });
  const provided = SkepProvider({ client: skep });
  const list = useList('ticket', { where: { status: 'open', rank: { gte: 3 } }, orderBy: '-rank', limit: 5 });
  const status: Status | undefined = list.data?.[0]?.status;
  const few = useList('ticket', { fields: ['id', 'subject'] }, { enabled: status !== undefined, staleTime: 1000 });
  const subjects: string[] | undefined = few.data?.map(({ subject }) => subject);
  const full = useList('ticket', { include: ['organisation', 'comment_by_ticket'] });
  const name: string | undefined = full.data?.[0]?.organisation?.name;
  const texts: string[] | undefined = full.data?.[0]?.comment_by_ticket.map(({ text }) => text);
  const count: number | undefined = useList('comment', {}, { select: (rows) => rows.length }).data;
  const row = useRow('ticket', subjects?.[0], { include: ['organisation'] });
  const far: string | undefined = row.data?.organisation?.name;
  const pages = useInfiniteList('ticket', { fields: ['subject'], limit: 20 });
  const flat: string[] | undefined = pages.data?.pages.flatMap(({ rows }) => rows.map(({ subject }) => subject));
  const next: string | null | undefined = pages.data?.pages[0]?.next;
  const live = useLive('ticket', { where: { status: 'open' }, fields: ['subject'] });
  const shown: [string, string][] | undefined = live.data?.map(({ id, subject }) => [id, subject]);
  const sorted = useLive('ticket', {}, { select: (rows) => rows.toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0)) });
  const rank: number | null | undefined = sorted.data?.[0]?.rank;
  const create = useCreate('ticket', { onSuccess: ({ subject }) => subjects?.push(subject), touches: ['comment'] });
  create.mutate({ subject: 'No sound' });
  const update = useUpdate('ticket');
  if (row.data) update.mutate({ id: row.data.id, changes: { status: 'solved' }, version: versionOf(row.data) });
  const remove = useRemove('ticket', { onMutate: ({ id }) => ({ before: id }), onError: (_e, _c, was) => was?.before });
  remove.mutate({ id: '1', purge: true });
  const made: Promise<{ readonly subject: string }> = create.mutateAsync({ subject: 'x', rank: null });
  const here: Promise<{ readonly text: string }> = useSkep().from('comment').get('1');
  keyOf(skep, 'ticket');
  const desk = useChannel('ticket', {
    key: subjects?.[0] ?? null,
    state: { typing: false },
    onMessage: ({ payload, from }) => subjects?.push(`${payload.saved} ${from.subject}`),
  });
  const typing: boolean | undefined = desk.members[0]?.state?.typing;
  const standing: 'joining' | 'joined' | 'left' = desk.status;
  const sent: Promise<void> = desk.send({ saved: true });
  const news = useChannel('news', { onMessage: ({ payload }) => subjects?.push(String(payload)) });
  const quiet = useChannel('news').send({ any: 'value' });
  const { status: loginStatus, logout, login } = useAuth();
  const isIn: boolean = loginStatus === 'in';
  void login({ login: 'gus@example.org', password: 'p' }).then(logout);
  const roles: readonly string[] | undefined = useUser().data?.roles;

  // @ts-expect-error no such entity
  useList('tickets');
  // @ts-expect-error no such field
  useList('ticket', { where: { subjct: 'x' } });
  // @ts-expect-error no such value
  useList('ticket', { where: { status: 'opened' } });
  // @ts-expect-error no such field to order by
  useList('ticket', { orderBy: 'subjct' });
  // @ts-expect-error no such relation
  useList('ticket', { include: ['organization'] });
  // @ts-expect-error a field that was not asked for
  void few.data?.[0]?.rank;
  // @ts-expect-error a relation that was not included
  void list.data?.[0]?.organisation;
  // @ts-expect-error a field that a row does not have
  void row.data?.subjct;
  // @ts-expect-error a single row has no conditions
  useRow('ticket', '1', { where: { rank: 1 } });
  // @ts-expect-error TanStack Query has the signal
  useList('ticket', { signal: AbortSignal.abort() });
  // @ts-expect-error a field that a page was not asked for
  void pages.data?.pages[0]?.rows[0]?.rank;
  // @ts-expect-error an entity whose changes are not told
  useLive('comment');
  // @ts-expect-error no such field in the conditions of live rows
  useLive('ticket', { where: { subjct: 'x' } });
  // @ts-expect-error live rows have no order but that of select
  useLive('ticket', { orderBy: 'subject' });
  // @ts-expect-error a field that live rows were not asked for
  void live.data?.[0]?.rank;
  // @ts-expect-error live rows are never stale
  useLive('ticket', {}, { staleTime: 0 });
  // @ts-expect-error a create without a required field
  create.mutate({ rank: 1 });
  // @ts-expect-error a create with an unknown field
  create.mutate({ subject: 'x', colour: 'red' });
  // @ts-expect-error a write is sent again by the client, under its key
  useCreate('ticket', { retry: 3 });
  // @ts-expect-error no such entity to read anew
  useCreate('ticket', { touches: ['comments'] });
  // @ts-expect-error a view is not written
  useCreate('overdue').mutate({ days: 3 });
  // @ts-expect-error an update with a wrong type
  update.mutate({ id: '1', changes: { rank: 'high' } });
  // @ts-expect-error an update of a field that only a create takes
  update.mutate({ id: '1', changes: { organisation_id: null } });
  // @ts-expect-error an update of no row
  update.mutate({ changes: { rank: 1 } });
  // @ts-expect-error a removal by the id alone
  remove.mutate('1');
  // @ts-expect-error no such entity of the client
  useSkep().from('tickets');
  // @ts-expect-error no such entity of the key
  keyOf(skep, 'tickets');
  // @ts-expect-error no such channel
  useChannel('tickets', { key: '1' });
  // @ts-expect-error a channel with keys without one
  useChannel('ticket');
  // @ts-expect-error a channel without keys has none
  useChannel('news', { key: '1' });
  // @ts-expect-error a state of another kind
  useChannel('ticket', { key: '1', state: { typing: 'yes' } });
  // @ts-expect-error a channel without presence shows no state
  useChannel('news', { state: { typing: true } });
  // @ts-expect-error a payload of another kind
  void desk.send({ saved: 1 });
  // @ts-expect-error a field that a payload does not have
  useChannel('ticket', { key: '1', onMessage: ({ payload }) => payload.lost });
  // @ts-expect-error no such status
  void (loginStatus === 'gone');
  return [
    typing,
    standing,
    sent,
    news,
    quiet,
    isIn,
    roles,
    provided,
    name,
    texts,
    count,
    far,
    flat,
    next,
    shown,
    rank,
    made,
    here,
  ];
}
