/** Access tokens by the client-credentials grant (RFC 6749 §4.4), cached until shortly before they expire. Spec: docs/contract/intake.md §7.3. */
import { limits } from '#config/limits.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { OutboundRequest } from '#actors/kit/outbound/outbound.ts';

export interface ClientCredentials {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** '' requests no scope. */
  readonly scope: string;
}

export type Fetch = (url: URL, request: OutboundRequest) => Promise<Response>;

export class AccessTokens {
  readonly #client: ClientCredentials;
  readonly #fetch: Fetch;
  readonly #clock: Clock;
  #token = '';
  #untilMs = 0;
  #asking: Promise<string> | null = null;

  constructor(client: ClientCredentials, fetch: Fetch, clock: Clock) {
    this.#client = client;
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** A token that is valid for some more seconds; concurrent callers share one request. Rejects when the token server gives none. */
  get(): Promise<string> {
    if (this.#clock.now() < this.#untilMs) return Promise.resolve(this.#token);
    this.#asking ??= this.#ask().finally(() => (this.#asking = null));
    return this.#asking;
  }

  /** The server that was shown the token refused it: the next call requests a new one. */
  forget(): void {
    this.#untilMs = 0;
  }

  async #ask(): Promise<string> {
    const { tokenUrl, clientId, clientSecret, scope } = this.#client;
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const body = new URLSearchParams(scope === '' ? form : { ...form, scope }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };
    const response = await this.#fetch(new URL(tokenUrl), { method: 'POST', headers, body });
    if (response.status !== 200) throw new Error(`the token server answered ${response.status}`);
    const { access_token: token, expires_in: seconds } = (await response.json()) as Record<string, unknown>;
    if (typeof token !== 'string' || token === '') throw new Error('the token server gave no access_token');
    // RFC 6749 §5.1 only recommends expires_in: without it the token serves once.
    const lifeMs = typeof seconds === 'number' ? seconds * 1000 : 0;
    this.#token = token;
    this.#untilMs = this.#clock.now() + lifeMs - limits.mail.tokenMarginMs;
    return token;
  }
}
