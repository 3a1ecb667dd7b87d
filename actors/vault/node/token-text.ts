/**
 * Texts of join tokens, `hj_v1_<id>_<random>` (docs/contract/vault-pki.md §5.1), and of refresh tokens, `hr_v1_<node>_<random>`. The store has only
 * the SHA-256 of a token's text.
 */
import { isUlid } from '#config/values/id.ts';
import { newSecret, sameDigest, secretSha256 } from '#actors/kit/secret.ts';
import { limits } from '#config/limits.ts';

const TEXT = /^(hj|hr)_v1_([0-9A-Z]{26})_([A-Za-z0-9_-]{43})$/;

export type TokenKind = 'hj' | 'hr';

/** A new token for an id (a ULID), from 32 random bytes. */
export function newToken(kind: TokenKind, id: string, random: (bytes: number) => Buffer): string {
  return `${kind}_v1_${id}_${newSecret(random, limits.node.tokenRandomBytes)}`;
}

/** The id in a token; null for a text that is not a token of this kind. */
export function idOfToken(kind: TokenKind, text: string): string | null {
  const match = TEXT.exec(text);
  return match !== null && match[1] === kind && isUlid(match[2]!) ? match[2]! : null;
}

/** The digest that is stored of a token. */
export const digestOf = (token: string): string => secretSha256(token).toString('base64url');

/** Whether a token has this digest; the comparison takes the same time for a wrong one. */
export const isTokenOf = (token: string, digest: string): boolean =>
  sameDigest(secretSha256(token), Buffer.from(digest, 'base64url'));
