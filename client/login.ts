/**
 * Logins of users, whose tokens are renewed before they end (docs/contract/identity-users.md §1.1 to §1.3). At a site they may be in cookies that no script can read
 * (docs/contract/identity-cookies.md): then a mark stands for them, by which tabs see whether another one has renewed them.
 */
import { SkepError } from './errors.ts';
import { underLock } from './locks.ts';
import type { TokenPlace, Tokens } from './tokens.ts';
import { newKey, type Ask, type Credential, type Transport } from './transport.ts';

export interface Password {
  readonly login: string;
  readonly password: string;
  /** A one-time code, where the user has a second factor: without it the login is 401 `mfa_required`. */
  readonly otp?: string;
}

/** Held while the cookies become those of another login; shared by requests that must be of one user. */
export const userLock = ({ place }: Transport): string => `skep user ${place}`;

/** An access token is renewed so long before its end. */
const AHEAD_MS = 10_000;

interface TokenAnswer {
  /** Neither is there where the tokens are in cookies. */
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly expires_in: number;
}

export class Login implements Credential {
  readonly #transport: Transport;
  readonly #place: TokenPlace;
  readonly inCookies: boolean;
  readonly #changed: (isLoggedIn: boolean) => void;
  #renewing: Promise<string | null> | null = null;

  constructor(transport: Transport, place: TokenPlace, inCookies: boolean, changed: (isLoggedIn: boolean) => void) {
    this.#transport = transport;
    this.#place = place;
    this.inCookies = inCookies;
    this.#changed = changed;
  }

  get isLoggedIn(): boolean {
    return this.#place.read() !== null;
  }

  get held(): string | null {
    return this.#place.read()?.access ?? null;
  }

  /** The same in all tabs that share the login, and another one after the next login; null without one. */
  get id(): string | null {
    const held = this.#place.read();
    return held === null ? null : (held.login ?? held.refresh);
  }

  /** Throws a SkepError: 401 `invalid_credentials`, 401 `mfa_required`, 429 `rate_limited`. It is sent once. */
  async login({ login, password, otp }: Password): Promise<void> {
    const body = { login, password, ...(otp !== undefined && { otp }) };
    await this.enter({ method: 'POST', path: '/auth/login', body });
  }

  /** Sends a request that is answered as a login is, once. It has no credential unless `bare` is false. */
  async enter(ask: Ask): Promise<void> {
    const enter = async (): Promise<void> => void this.#keep(await this.#ask({ ...ask, again: 'never' }), newKey());
    // The mark of a login in cookies is written behind the cookies: what asks whose they are must not do so between the two.
    await (this.inCookies ? underLock(userLock(this.#transport), {}, enter) : enter());
    this.#changed(true);
  }

  /**
   * Tokens are forgotten in any case, also where the node cannot be reached; then it throws. Cookies only the node takes away: where it throws, the login
   * goes on.
   */
  async logout(): Promise<void> {
    await this.#place.alone(async () => {
      const held = this.#place.read();
      if (held === null && !this.inCookies) return;
      if (!this.inCookies) this.#forget();
      await this.#ask({ method: 'POST', path: '/auth/logout', body: this.#bodyOf(held), again: 'safe' });
      if (this.inCookies) this.#forget();
    });
  }

  async bearer(): Promise<string | null> {
    const held = this.#place.read();
    if (held === null) return null;
    return held.endsAt - AHEAD_MS > Date.now() ? held.access : this.renew(held.access);
  }

  /** All callers, and all tabs, wait for one renewal. Null where the login is over. */
  renew(stale: string): Promise<string | null> {
    this.#renewing ??= this.#place.alone(() => this.#renewed(stale)).finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  async #renewed(stale: string): Promise<string | null> {
    const held = this.#place.read();
    // Another tab has been here while this one waited.
    if (held === null || held.access !== stale) return held?.access ?? null;
    const answer = await this.#refreshed(held);
    const now = this.#place.read();
    // Somebody logged in or out meanwhile: these tokens are of a login that is over here.
    if (now?.refresh !== held.refresh) return now?.access ?? null;
    if (answer !== null) return this.#keep(answer, held.login ?? held.refresh).access;
    this.#forget();
    return null;
  }

  /** Null where the refresh token does not count any more. */
  async #refreshed(held: Tokens): Promise<TokenAnswer | null> {
    // Sent again when its answer is lost: within the grace of refresh tokens the same successor comes again.
    try {
      return await this.#ask({ method: 'POST', path: '/auth/refresh', body: this.#bodyOf(held), again: 'safe' });
    } catch (error) {
      if (error instanceof SkepError && error.status === 401) return null;
      throw error;
    }
  }

  async #ask({ headers, ...ask }: Ask): Promise<TokenAnswer> {
    const wanted = this.inCookies ? { ...headers, 'X-Skep-Cookies': '1' } : { ...headers };
    return (await this.#transport.send({ bare: true, ...ask, headers: wanted })).json as TokenAnswer;
  }

  #bodyOf(held: Tokens | null): object | undefined {
    return this.inCookies ? undefined : { refresh_token: held!.refresh };
  }

  #keep(
    { access_token: access = newKey(), refresh_token: refresh = access, expires_in: seconds }: TokenAnswer,
    login: string,
  ): Tokens {
    const tokens = { access, refresh, endsAt: Date.now() + seconds * 1000, login };
    this.#place.write(tokens);
    return tokens;
  }

  #forget(): void {
    this.#place.write(null);
    this.#changed(false);
  }
}
