/** Sends one webhook delivery (docs/contract/content.md §8.2; Standard Webhooks 1.0.0 beside it). */
import { createHmac } from 'node:crypto';
import type { Delivery } from '#actors/protocol/webhook.ts';

/** The receiver's status is not a success. */
export class NotTaken extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the receiver answered ${status}`);
    this.status = status;
  }
}

/** Posts a body and gives the status of the answer; its body is ignored. The signal aborts it. */
export type Post = (
  url: URL,
  headers: Record<string, string>,
  body: string,
  timeoutMs: number,
  signal: AbortSignal,
) => Promise<number>;

/** Rejects when the receiver did not accept the delivery. A redirect is not followed: it is no success either. */
export async function sendWebhook(post: Post, delivery: Delivery, nowMs: number, signal: AbortSignal): Promise<number> {
  const { url, body, timeoutMs } = delivery;
  const status = await post(new URL(url), headersOf(delivery, nowMs), body, timeoutMs, signal);
  if (status < 200 || status > 299) throw new NotTaken(status);
  return status;
}

/** Whether a failure is final: a 4xx that says neither "later" nor "too many". */
export function isFinalDelivery(error: unknown): boolean {
  if (!(error instanceof NotTaken)) return false;
  return error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429;
}

/** The contract's headers over the raw body, those of Standard Webhooks, and those that the subscription declares. */
function headersOf(
  { id, name, event, tenant, secret, headers, body }: Delivery,
  nowMs: number,
): Record<string, string> {
  const seconds = String(Math.floor(nowMs / 1000));
  return {
    ...headers,
    'Content-Type': 'application/json',
    'User-Agent': 'service-webhook/1',
    'X-Service-Event': event,
    'X-Service-Tenant': tenant,
    'X-Service-Delivery-Name': name,
    'X-Service-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${createHmac('sha256', standardKey(secret)).update(`${id}.${seconds}.${body}`).digest('base64')}`,
  };
}

/** Standard Webhooks writes a key as `whsec_` and base64; any other secret is its own bytes. */
function standardKey(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
}
