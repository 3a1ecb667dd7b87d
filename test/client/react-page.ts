/** A page of React with every hook, as test/scenario/client-react.test.ts drives it: `window.page` is what a person would see and do. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createClient, isSkepError, versionOf } from '#client/index.ts';
import {
  SkepProvider,
  useCreate,
  useInfiniteList,
  useList,
  useLive,
  useRemove,
  useRow,
  useSkep,
  useUpdate,
} from '#client/react/index.ts';

/** Of the browser; the project's types are those of Node. */
declare const document: { readonly body: { appendChild(one: Element): Element }; createElement(name: string): Element };

/** What the components show, by their names, and what they can be told to do. */
const shown: Record<string, unknown> = {};
const acts: Record<string, unknown> = {};

const open = { where: { open: true } } as const;

function Live(): null {
  const { data, error, fetchStatus } = useLive('note', open, {
    select: (rows) => rows.map((row) => String(row['title'])).toSorted(),
  });
  shown['live'] = data ?? null;
  shown['liveError'] = isSkepError(error) ? error.code : null;
  shown['following'] = fetchStatus === 'fetching';
  return null;
}

/** Another component that asks the same: both share one connection. */
function LiveAgain(): null {
  shown['again'] = useLive('note', open).data?.length ?? null;
  return null;
}

function Reads(): null {
  const [id, setId] = useState<string | null>(null);
  const [owner, setOwner] = useState<string | undefined>('somebody else');
  const [wrong, setWrong] = useState(false);
  const row = useRow('note', id);
  const list = useList('note', { ...open, orderBy: 'title' }, { select: (rows) => rows.map((one) => one['title']) });
  const pages = useInfiniteList('note', { ...open, orderBy: 'title', limit: 2 });
  const all = useList('note');
  const owned = useList('note', { where: { owner } });
  const refused = useList('note', { orderBy: 'colour' }, { enabled: wrong });
  Object.assign(shown, {
    row: row.data?.['title'] ?? null,
    rowError: isSkepError(row.error) ? row.error.code : null,
    version: row.data === undefined ? null : (versionOf(row.data) ?? null),
    list: list.data ?? null,
    pages: pages.data?.pages.map(({ rows }) => rows.map((one) => one['title'])) ?? null,
    hasNextPage: pages.hasNextPage,
    all: all.data?.length ?? null,
    owned: owned.error instanceof TypeError ? owned.error.message : (owned.data?.length ?? null),
    refused: isSkepError(refused.error) ? [refused.error.code, refused.failureCount] : null,
  });
  Object.assign(acts, { show: setId, own: setOwner, ask: setWrong, more: () => void pages.fetchNextPage() });
  return null;
}

function Writes(): null {
  const create = useCreate('note');
  const update = useUpdate('note');
  const remove = useRemove('note');
  const skep = useSkep();
  Object.assign(acts, {
    create: create.mutateAsync,
    update: (call: Parameters<typeof update.mutateAsync>[0]) =>
      update.mutateAsync(call).catch((error: unknown) => (isSkepError(error) ? error.code : String(error))),
    remove: remove.mutateAsync,
    login: (login: string, password: string) => skep.auth.login({ login, password }),
    logout: () => skep.auth.logout(),
  });
  return null;
}

function App(): unknown {
  const [isLive, setLive] = useState(true);
  acts['live'] = setLive;
  return [
    isLive && createElement(Live, { key: 'live' }),
    isLive && createElement(LiveAgain, { key: 'again' }),
    createElement(Reads, { key: 'reads' }),
    createElement(Writes, { key: 'writes' }),
  ];
}

/** Draws the page, counts the requests for streams, and asks a node elsewhere once it is told so: each start listens on another port. */
export function draw(url: string, position: string): object {
  let [at, streams] = [url, 0];
  const counting: typeof fetch = (input, init) => {
    if (new Headers(init?.headers).get('accept') === 'text/event-stream') streams++;
    return fetch((input as string).replace(url, at), init);
  };
  const skep = createClient({ url, position: position as 'a:b:c:d', fetch: counting });
  const tree = createElement(
    StrictMode,
    null,
    createElement(
      QueryClientProvider,
      { client: new QueryClient({ defaultOptions: { mutations: { retry: 3 } } }) },
      createElement(SkepProvider, { client: skep }, createElement(App as () => null)),
    ),
  );
  createRoot(document.body.appendChild(document.createElement('main'))).render(tree);
  return { shown, acts, streams: () => streams, moveTo: (there: string) => void (at = there) };
}
