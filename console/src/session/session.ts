/**
 * Logins: one at each place, which is the control plane or a tenant. Access tokens are in the memory of this page alone, never in a storage or an address; the refresh token is in a cookie that no script
 * reads, where the browser keeps one (kept-login.ts), so that a login goes on when the page is loaded again and in other tabs, until the browser ends.
 */
import { createClient, isSkepError, type Client, type AnySchema } from '@skep/client';
import { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { KeptLogin } from './kept-login.ts';
import { CONTROL_PLANE, keyOfPath } from './position.ts';

export interface Place {
  /** `customer:product:env:tenant`. */
  readonly key: string;
  readonly skep: Client<AnySchema>;
  /** What this login has seen; nothing of it is left for the next. */
  readonly queries: QueryClient;
}

const places = new Map<string, Place>();
const standIns = new Map<string, Place>();
/** Places whose login from before the page was loaded is being taken up. */
const goingOn = new Set<Place>();
const listeners = new Set<() => void>();
/** Places with a login, in the order in which they got one; replaced when it changes. */
let open: readonly Place[] = [];

/** What a request has that is sent while the page is left: it goes on without the page. */
let last: { readonly keepalive?: true } = {};
addEventListener('pagehide', () => (last = { keepalive: true }), true);
addEventListener('pageshow', () => (last = {}), true);

const FRAGMENT = /^#login=([A-Za-z0-9_-]{43})$/;

/** The code of a login link, taken out of the address so that neither the history nor a copied address has it; null without one. */
let code = takeCode();

function takeCode(): string | null {
  const shown = FRAGMENT.exec(location.hash)?.[1] ?? null;
  if (shown !== null) history.replaceState(null, '', location.pathname);
  return shown;
}

type Request = KeptLogin['request'];

/** `token`: in place of a login. */
function makePlace(key: string, request: Request, token?: () => string): Place {
  const position = key as 'customer:product:env:tenant';
  const skep = createClient({
    url: location.origin,
    position,
    fetch: (input, init) => fetch(...request(input as string, { ...init, ...last })),
    ...(token !== undefined && { token }),
  });
  // The client tries again by itself what may pass.
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return { key, skep, queries };
}

function show(place: Place, isOpen: boolean): void {
  open = [...open.filter((one) => one !== place), ...(isOpen ? [place] : [])];
  listeners.forEach((listener) => listener());
}

/** The place with this key, with a login or without; the one that stands in for it where there is one. */
export const placeAt = (key: string): Place => standIns.get(key) ?? ownAt(key);

function ownAt(key: string): Place {
  const known = places.get(key);
  if (known !== undefined) return known;
  const kept = new KeptLogin(key);
  const place = makePlace(key, (url, init) => kept.request(url, init));
  places.set(key, place);
  place.skep.auth.onChange((isLoggedIn) => {
    kept.keep(isLoggedIn);
    place.queries.clear();
    show(place, isLoggedIn);
  });
  // A link logs in by itself.
  if (code === null && kept.mayGoOn) void goOn(place, kept);
  return place;
}

/** Takes up the login that there was before the page was loaded. */
async function goOn(place: Place, kept: KeptLogin): Promise<void> {
  goingOn.add(place);
  try {
    await place.skep.auth.enter({ method: 'POST', path: '/auth/refresh' });
  } catch (error) {
    // Where the node cannot be reached the login may go on later.
    if (isSkepError(error) && error.status === 401) kept.keep(false);
  }
  goingOn.delete(place);
  listeners.forEach((listener) => listener());
}

/** Stands in for the reader's own login at a place, with a client and a cache of its own, until `standBack`. `token`: asked for once, and again when the node refuses it. */
export function standIn(key: string, token: () => string): Place {
  const place = makePlace(key, (url, init) => [url, init], token);
  standIns.set(key, place);
  show(place, true);
  return place;
}

/** The reader's own login is there again, where there is one. */
export function standBack(place: Place): void {
  place.queries.clear();
  if (standIns.get(place.key) === place) standIns.delete(place.key);
  show(place, false);
}

export { CONTROL_PLANE };
export const plane = placeAt(CONTROL_PLANE);

/** The control plane's client. */
export const { skep } = plane;

function follow(changed: () => void): () => void {
  listeners.add(changed);
  return () => void listeners.delete(changed);
}

/** The places with a login; components that ask follow them. */
export const useOpenPlaces = (): readonly Place[] => useSyncExternalStore(follow, () => open);

/** Whether it is not known yet if there is a login at the place: the page shows neither itself nor a log in. */
export const useIsGoingOn = (place: Place): boolean => useSyncExternalStore(follow, () => goingOn.has(place));

/** The code of the link that opened this page. It is given once. */
export function spendCode(): string | null {
  const spent = code;
  code = null;
  return spent;
}

/** A link that is pasted into a tab with the console in it changes the fragment alone, which loads nothing: the page begins anew, and takes the code as any page does. */
export function followLinks(): void {
  addEventListener('hashchange', () => {
    if (FRAGMENT.test(location.hash)) location.reload();
  });
}

/**
 * Logs in by a link: here, and at the control plane where the link has an operator, too. Throws a SkepError: 401 `invalid_credentials` where the link counts no more at this place.
 */
export async function enterBy(place: Place, shown: string): Promise<void> {
  const enter = ({ skep: { auth } }: Place) =>
    auth.enter({ method: 'POST', path: '/console/login', body: { code: shown } });
  // The one of a tenant is the page's own; that of the operator is there when the reader goes to it.
  if (place !== plane) enter(plane).catch(() => undefined);
  await enter(place);
}

export const placeOf = (pathname: string): Place => placeAt(keyOfPath(pathname) ?? CONTROL_PLANE);
