/** Logins of users by password, whose tokens are renewed before they end (docs/contract/identity-users.md §1.1 to §1.3). */
import { SkepError } from './errors.ts';
import type { TokenPlace, Tokens } from './tokens.ts';
import type { Credential, Transport } from './transport.ts';

export interface Password {
  readonly login: string;
  readonly password: string;
  /** A one-time code, where the user has a second factor: without it the login is 401 `mfa_required`. */
  readonly otp?: string;
}

/** An access token is renewed so long before its end. */
const AHEAD_MS = 10_000;

interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

export class Login implements Credential {
  readonly #transport: Transport;
  readonly #place: TokenPlace;
  readonly #changed: (isLoggedIn: boolean) => void;
  #renewing: Promise<string | null> | null = null;

  constructor(transport: Transport, place: TokenPlace, changed: (isLoggedIn: boolean) => void) {
    this.#transport = transport;
    this.#place = place;
    this.#changed = changed;
  }

  get isLoggedIn(): boolean {
    return this.#place.read() !== null;
  }

  /** Throws a SkepError: 401 `invalid_credentials`, 401 `mfa_required`, 429 `rate_limited`. It is sent once. */
  async login({ login, password, otp }: Password): Promise<void> {
    const body = { login, password, ...(otp !== undefined && { otp }) };
    const path = '/auth/login';
    const { json } = await this.#transport.send({ method: 'POST', path, body, again: 'never', bare: true });
    this.#keep(json as TokenAnswer);
    this.#changed(true);
  }

  /** The tokens are forgotten in any case, also where the node cannot be reached; then it throws. */
  async logout(): Promise<void> {
    await this.#place.alone(async () => {
      const held = this.#place.read();
      if (held === null) return;
      this.#forget();
      const body = { refresh_token: held.refresh };
      await this.#transport.send({ method: 'POST', path: '/auth/logout', body, again: 'safe', bare: true });
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
    const answer = await this.#refreshed(held.refresh);
    const now = this.#place.read();
    // Somebody logged in or out meanwhile: these tokens are of a login that is over here.
    if (now?.refresh !== held.refresh) return now?.access ?? null;
    if (answer !== null) return this.#keep(answer).access;
    this.#forget();
    return null;
  }

  /** Null where the refresh token does not count any more. */
  async #refreshed(refresh: string): Promise<TokenAnswer | null> {
    const body = { refresh_token: refresh };
    // Sent again when its answer is lost: within the grace of refresh tokens the same successor comes again.
    const ask = { method: 'POST', path: '/auth/refresh', body, again: 'safe', bare: true } as const;
    try {
      return (await this.#transport.send(ask)).json as TokenAnswer;
    } catch (error) {
      if (error instanceof SkepError && error.status === 401) return null;
      throw error;
    }
  }

  #keep({ access_token: access, refresh_token: refresh, expires_in: seconds }: TokenAnswer): Tokens {
    const tokens = { access, refresh, endsAt: Date.now() + seconds * 1000 };
    this.#place.write(tokens);
    return tokens;
  }

  #forget(): void {
    this.#place.write(null);
    this.#changed(false);
  }
}
