/** Certificates that the node orders by itself: how long they last, and why the last order failed. */
import type { Platform } from '#config/platform.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { isTrouble } from '#runtime/acme/next-action.ts';
import { statusOf, type NameStatus } from '#runtime/acme/status.ts';
import { fault, ok, warning, type Finding } from './finding.ts';

export async function examineOrdered(platform: Platform, nowMs: number): Promise<Finding[]> {
  const names = await statusOf(platform, nowMs);
  return names.map((status) => finding(status, nowMs));
}

function finding(status: NameStatus, nowMs: number): Finding {
  const { attempts, dueMs, life, name } = status;
  const check = `certificate ${name}`;
  const lasts = lifeText(status, nowMs);
  if (attempts.failure === null || attempts.failures === 0) {
    const plan = life === null ? 'a node that serves orders one' : `it is renewed from ${timestamp(dueMs)} on`;
    return life !== null && life.notAfterMs <= nowMs
      ? fault(check, lasts, 'start the node, which orders a new one; its log says what becomes of it')
      : ok(check, `${lasts}; ${plan}`);
  }
  const { atMs, mend, what } = attempts.failure;
  const detail = `${lasts}; the last order failed at ${timestamp(atMs)} (${attempts.failures} in a row): ${what}; the next try is at ${timestamp(dueMs)}`;
  return isTrouble(status, nowMs) ? fault(check, detail, mend) : warning(check, detail, mend);
}

const DAY_MS = 24 * 60 * 60 * 1000;

function lifeText({ life }: NameStatus, nowMs: number): string {
  if (life === null) return 'there is none yet';
  const until = timestamp(life.notAfterMs);
  if (life.notAfterMs <= nowMs) return `it has ended at ${until}`;
  return `it ends at ${until}, in ${Math.floor((life.notAfterMs - nowMs) / DAY_MS)} days`;
}
