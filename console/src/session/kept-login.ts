/**
 * A login that goes on when the page is loaded again (docs/contract/console.md §4.1). The node keeps its refresh token in a cookie that no script reads, and that the browser shows at one address alone; the id in this address is drawn with
 * the login, and lies in localStorage by its place, so that tabs share the login. Without its cookie an id opens nothing.
 */
/** What begins a login. */
const BEGINS: ReadonlySet<string> = new Set(['/auth/login', '/auth/webauthn/login/finish', '/console/login']);

/** What goes on with one, or ends it, by the verb at the address of its cookie. */
const GOES_ON: ReadonlyMap<string, string> = new Map([
  ['/auth/refresh', 'POST'],
  ['/auth/logout', 'DELETE'],
]);

/** Where a browser keeps cookies that no one else on the network sees: elsewhere tokens are in the memory of the page. */
const isKept = (): boolean => globalThis.isSecureContext;

export class KeptLogin {
  readonly #name: string;
  #id: string | null;
  /** Of a log in that is under way; another login may be open until it succeeds. */
  #next: string | null = null;

  /** `key`: of the place. */
  constructor(key: string) {
    this.#name = `skep login ${key}`;
    this.#id = isKept() ? localStorage.getItem(this.#name) : null;
  }

  /** Whether there was a login before the page was loaded. */
  get mayGoOn(): boolean {
    return this.#id !== null;
  }

  /** A login has begun, or it is over. */
  keep(isLoggedIn: boolean): void {
    if (isLoggedIn) this.#id = this.#next ?? this.#id;
    this.#next = null;
    if (this.#id === null) return;
    if (isLoggedIn) localStorage.setItem(this.#name, this.#id);
    // Another tab may have begun another one.
    else if (localStorage.getItem(this.#name) === this.#id) localStorage.removeItem(this.#name);
  }

  /** A request of the client as it leaves: what concerns the login goes by its cookie. */
  request(url: string, init: RequestInit): [string, RequestInit] {
    const { origin, pathname } = new URL(url);
    if (BEGINS.has(pathname) && isKept()) {
      this.#next = newId();
      return [url, { ...init, headers: { ...(init.headers as Record<string, string>), 'X-Skep-Cookies': this.#next } }];
    }
    const method = GOES_ON.get(pathname);
    if (method === undefined || this.#id === null) return [url, init];
    const { body: _token, ...rest } = init;
    return [`${origin}/console/session/${this.#id}`, { ...rest, method }];
  }
}

/** 16 random bytes. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCodePoint(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
