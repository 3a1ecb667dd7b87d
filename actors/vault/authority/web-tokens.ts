/** JWTs of the vault (docs/contract/vault-pki.md §4: ES256, one audience, five minutes by default). */
import { limits } from '#config/limits.ts';
import { kidOf, mintJwt, verifyJwt, type JwtClaims, type JwtFlaw, type PublicJwk } from '../pki/jwt.ts';
import type { PkiPorts } from './ports.ts';
import type { JwtKeys } from './jwt-keys.ts';

export interface JwtOrder {
  readonly subject: string;
  readonly audience: string | readonly string[];
  readonly lifetimeMs: number;
  /** Further claims; reserved ones among them were refused before. */
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface IssuedJwt {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Claims that only the vault sets. RFC 7519 §4.1. */
const RESERVED_CLAIMS: readonly string[] = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'];

export class WebTokens {
  readonly #ports: PkiPorts;
  readonly #keys: JwtKeys;

  constructor(ports: PkiPorts, keys: JwtKeys) {
    this.#ports = ports;
    this.#keys = keys;
  }

  async issue({ subject, audience, lifetimeMs, claims }: JwtOrder): Promise<IssuedJwt> {
    const key = await this.#keys.signing();
    const iat = Math.floor(this.#ports.clock.now() / 1000);
    const exp = iat + Math.max(1, Math.floor(lifetimeMs / 1000));
    const own = { iss: this.issuer, sub: subject, aud: audience, iat, nbf: iat, exp, jti: this.#ports.nextId() };
    return { token: mintJwt(key, { ...claims, ...own }), expiresAtMs: exp * 1000 };
  }

  /** The claims of a token of this vault that is valid now, for the audience when one is named; otherwise its flaw. */
  async verify(token: string, audience: string | undefined): Promise<JwtClaims | JwtFlaw> {
    const kid = kidOf(token);
    const key = kid === null ? undefined : await this.#keys.named(kid);
    return verifyJwt(() => key?.open, token, { audience, nowMs: this.#ports.clock.now() });
  }

  async keySet(): Promise<{ keys: PublicJwk[] }> {
    return { keys: (await this.#keys.all()).map(({ jwk }) => jwk) };
  }

  get issuer(): string {
    return `spiffe://${this.#ports.trustDomain}`;
  }
}

/** Whether a caller may add these claims to a token; if not, a sentence that says why. */
export function flawOfClaims(claims: Readonly<Record<string, unknown>>): string | null {
  const taken = RESERVED_CLAIMS.find((name) => Object.hasOwn(claims, name));
  if (taken !== undefined) return `the claim ${taken} is set by the vault: leave it out`;
  const bytes = Buffer.byteLength(JSON.stringify(claims));
  return bytes <= limits.pki.claimsBytesMax
    ? null
    : `the claims are too large: at most ${limits.pki.claimsBytesMax} bytes of JSON`;
}
