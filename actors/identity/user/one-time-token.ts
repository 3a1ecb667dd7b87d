/** Tokens of mailed links: `<user id>.<secret>`. Each secret is for one use; only its SHA-256 is stored. */
import { limits } from '#config/limits.ts';
import type { Context } from '#actors/host/activation.ts';
import { instantMs } from '#config/values/instant.ts';
import { newSecret, sameDigest, secretSha256 } from '#actors/kit/secret.ts';
import { findOneTime, nearestOneTime, putOneTime, type LinkKind, type Reader, type Turn } from './store.ts';

const TEXT = /^([0-9A-HJKMNP-TV-Z]{26})\.([A-Za-z0-9_-]{43})$/;

/** Draws a secret that is valid until `expiresAt`, stages its digest beside those of open links, and gives the token. */
export function drawOneTime(
  turn: Turn,
  source: Pick<Context, 'random'>,
  kind: LinkKind,
  user: string,
  expiresAt: string,
): string {
  const secret = newSecret((bytes) => source.random(bytes), limits.identity.secretBytes);
  const before = findOneTime(turn, kind, user);
  const kept = (before?.secrets ?? []).slice(1 - limits.identity.oneTimeSecretsMax);
  const secrets = [...kept, { sha256: secretSha256(secret), expires_at: expiresAt }];
  putOneTime(turn, kind, user, { secrets, wrong_codes: 0 });
  return `${user}.${secret}`;
}

/** The user whose link the token opens, or null when it is malformed, unknown, used or expired. Every digest is compared. */
export function showOneTime(reader: Reader, kind: LinkKind, text: string, nowMs: number): string | null {
  const match = TEXT.exec(text);
  const user = match?.[1] ?? '';
  const digest = secretSha256(match?.[2] ?? text);
  let opens = false;
  const { record, isOwn } = nearestOneTime(reader, kind, user);
  for (const { sha256, expires_at } of record.secrets) {
    const fits = sameDigest(digest, sha256);
    if (fits && nowMs < instantMs(expires_at)) opens = true;
  }
  return opens && isOwn ? user : null;
}
