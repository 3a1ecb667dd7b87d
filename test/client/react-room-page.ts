/**
 * A page of React whose login all tabs share, with rows and a channel, as test/scenario/client-react.test.ts drives it: `window.page` is what a person would see and do.
 * Two components are in the same channel.
 */
import { keepPreviousData, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createClient, isSkepError, type TokenStorage } from '#client/index.ts';
import { SkepProvider, useAuth, useChannel, useCreate, useList, useLive, useUser } from '#client/react/index.ts';

/** Of the browser; the project's types are those of Node. */
declare const document: { readonly body: { appendChild(one: Element): Element }; createElement(name: string): Element };
declare const localStorage: TokenStorage;

const shown: Record<string, unknown> = {};
const acts: Record<string, unknown> = {};
/** Every drawing of rows, with the login under which it was drawn. */
const drawn: [login: string | null, titles: unknown][] = [];
const heard: Record<string, unknown[]> = { one: [], other: [] };

const codeOf = (error: Error | null): string | null => (isSkepError(error) ? error.code : (error?.message ?? null));

function Login(): null {
  const { status, loginId, login, logout } = useAuth();
  const user = useUser();
  Object.assign(shown, { status, loginId, email: user.data?.email ?? null });
  Object.assign(acts, { login: (name: string, password: string) => login({ login: name, password }), logout });
  return null;
}

function Rows(): null {
  const { loginId } = useAuth();
  const [limit, setLimit] = useState(50);
  const rows = useList('note', { orderBy: 'title', limit }, { placeholderData: keepPreviousData });
  const live = useLive('note');
  const titles = (all: typeof live.data): string[] | null => all?.map((row) => String(row['title'])).sort() ?? null;
  const create = useCreate('note');
  Object.assign(shown, { list: titles(rows.data), live: titles(live.data), made: create.data?.['title'] ?? null });
  drawn.push([loginId, titles(rows.data)], [loginId, titles(live.data)]);
  Object.assign(acts, { limit: setLimit, create: create.mutateAsync });
  return null;
}

function Room({ name, at, state }: { name: 'one' | 'other'; at: string | null; state?: unknown }): null {
  const { status, member, members, error, send } = useChannel('note', {
    key: at,
    ...(state !== undefined && { state }),
    onMessage: ({ payload }) => void heard[name]!.push(payload),
    onMissed: () => void heard[name]!.push('missed'),
  });
  useEffect(() => {
    shown[name] = { status, member, error: codeOf(error), who: members.map((one) => [one.subject, one.state]) };
    acts[name] = (payload: unknown) => send(payload).then(() => null, codeOf);
  });
  useEffect(() => () => void (shown[name] = null), [name]);
  return null;
}

function App(): unknown {
  const [one, setOne] = useState<string | null>(null);
  const [other, setOther] = useState<string | null | undefined>();
  const [line, setLine] = useState(1);
  const [mount, setMount] = useState(0);
  const again = (): void => setMount((before) => before + 1);
  Object.assign(acts, { enterOne: setOne, enterOther: setOther, line: setLine, again });
  return [
    createElement(Login, { key: 'login' }),
    createElement(Rows, { key: 'rows' }),
    createElement(Room, { key: 'one', name: 'one', at: one, state: { line } }),
    other !== undefined && createElement(Room, { key: `other ${mount}`, name: 'other', at: other }),
  ];
}

/** Draws the page, counts how often it joins, holds answers of lists up while it is told to, and asks a node elsewhere once it is told so. */
export function draw(url: string, position: string): object {
  let [at, joins] = [url, 0];
  let held = Promise.resolve();
  let letGo = (): void => undefined;
  const counting: typeof fetch = async (input, init) => {
    const address = input as string;
    if (address.includes('/data/channels/') && init?.method === 'GET') joins++;
    const answer = await fetch(address.replace(url, at), init);
    if (address.includes('/data/rest/') && init?.method === 'GET') await held;
    return answer;
  };
  const skep = createClient({ url, position: position as 'a:b:c:d', storage: localStorage, fetch: counting });
  const cache = new QueryClient();
  const provider = createElement(SkepProvider, { client: skep }, createElement(App as () => null));
  createRoot(document.body.appendChild(document.createElement('main'))).render(
    createElement(StrictMode, null, createElement(QueryClientProvider, { client: cache }, provider)),
  );
  return {
    shown,
    acts,
    drawn,
    heard,
    joins: () => joins,
    hold: () => void (held = new Promise((resolve) => (letGo = resolve))),
    letGo: () => letGo(),
    moveTo: (there: string) => void (at = there),
    /** What the cache holds, by login. */
    kept: () =>
      cache
        .getQueryCache()
        .getAll()
        .map(({ queryKey }) => queryKey[3]),
  };
}
