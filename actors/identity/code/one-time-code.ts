/**
 * Codes of a few digits that log in. Only digests are stored; a code has few digits, so its digest is bound to the user and it lives by its tries:
 * each wrong one counts against every open code of the user, and a code that was missed `codeWrongMax` times is dead.
 */
import { limits } from '#config/limits.ts';
import { instantMs } from '#config/values/instant.ts';
import type { Context } from '#actors/host/activation.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { sameDigest, secretSha256 } from '#actors/kit/secret.ts';
import { deleteOneTime, findOneTime, nearestOneTime, putOneTime } from '../user/store.ts';
import type { OneTimeSecret, Reader, Turn } from '../user/store.ts';

const { codeDigits, codeWrongMax, oneTimeSecretsMax } = limits.identity;
const KIND = 'code';
/** Row of the tries at logins that have no code open: it costs what the row of a user costs. */
const NO_USER = '00000000000000000000000000';
/** A user id whose row never is: a login that no user has reads as one that has no code open. */
const NO_ROW = '-'.repeat(26);

/** Draws a code that is valid until `expiresAt` and stages its digest beside those of the user's open codes. */
export function drawCode(turn: Turn, source: Pick<Context, 'random'>, user: string, expiresAt: string): string {
  const code = digitsOf(source.random(8));
  const open = (findOneTime(turn, KIND, user)?.secrets ?? []).slice(1 - oneTimeSecretsMax);
  putOneTime(turn, KIND, user, {
    secrets: [...open, { sha256: digestOf(user, code), expires_at: expiresAt, wrong: 0 }],
    wrong_codes: 0,
  });
  return code;
}

/** Of 64 random bits: the bias towards small codes is below 1 in 10^11. */
function digitsOf(random: Buffer): string {
  return String(random.readBigUInt64BE() % 10n ** BigInt(codeDigits)).padStart(codeDigits, '0');
}

/** Whether the code is an open one of the user; null stands for a login that no user has. Every digest is compared. */
export function showCode(reader: Reader, user: string | null, code: string, nowMs: number): boolean {
  const digest = digestOf(user ?? NO_USER, code);
  let opens = false;
  const { record, isOwn } = nearestOneTime(reader, KIND, user ?? NO_ROW);
  for (const secret of record.secrets) {
    const fits = sameDigest(digest, secret.sha256);
    if (fits && isOpen(secret, nowMs)) opens = true;
  }
  return opens && isOwn;
}

/** Stages a wrong try. A row is read and one is written whether or not the login is known and has a code open: the disk is as slow for each. */
export function countWrongCode(turn: Turn, user: string | null, nowMs: number): void {
  const { record, isOwn } = nearestOneTime(turn, KIND, user ?? NO_ROW);
  const left = record.secrets
    .map((one) => ({ ...one, wrong: (one.wrong ?? 0) + 1 }))
    .filter((one) => isOpen(one, nowMs));
  if (isOwn && left.length > 0) putOneTime(turn, KIND, user!, { secrets: left, wrong_codes: 0 });
  else putOneTime(turn, KIND, NO_USER, { secrets: [decoyOf(nowMs)], wrong_codes: 0 });
  if (isOwn && left.length === 0) deleteOneTime(turn, KIND, user!);
}

const isOpen = ({ wrong = 0, expires_at }: OneTimeSecret, nowMs: number): boolean =>
  wrong < codeWrongMax && nowMs < instantMs(expires_at);

const decoyOf = (nowMs: number): OneTimeSecret => ({
  sha256: Buffer.alloc(32, 0xff),
  expires_at: timestamp(nowMs),
  wrong: 0,
});

const digestOf = (user: string, code: string): Buffer => secretSha256(`${user} ${code}`);
