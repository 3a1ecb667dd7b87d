/** Log lines of failed attempts. They hold no address of a person, no path or query of a URL, and no secret. */
import type { Log } from '#actors/host/activation.ts';
import type { Delivery } from '#actors/protocol/webhook.ts';
import type { FailedAttempt } from './courier.ts';
import { NotTaken } from './send-webhook.ts';

/** A mail; `tenant` is the key of its tenant, absent for intake's notices. */
export interface LoggedMail {
  readonly id: string;
  readonly tenant?: string;
}

const ERROR_CHARACTERS_MAX = 500;

export function logMailAttempt(log: Log, { id, tenant }: LoggedMail, { attempt, final, error }: FailedAttempt): void {
  const whose = tenant === undefined ? {} : { tenant };
  const facts = { mail: id, ...whose, attempts: attempt, final, error: withoutAddresses(error.message) };
  log.warn(facts, 'mail not taken');
}

/** The final failure is logged by the owner of the delivery as "a webhook was not delivered" (content's `hook.settle`). */
export function logWebhookAttempt(
  log: Log,
  { id, tenant, url }: Pick<Delivery, 'id' | 'tenant' | 'url'>,
  { attempt, error }: FailedAttempt,
): void {
  const met =
    error instanceof NotTaken ? { status: error.status } : { error: error.message.slice(0, ERROR_CHARACTERS_MAX) };
  log.info({ delivery: id, tenant, host: URL.parse(url)?.host, attempt, ...met }, 'a webhook was not taken');
}

/** A mail server repeats recipients in its refusals: they are masked. */
function withoutAddresses(text: string): string {
  return text.slice(0, ERROR_CHARACTERS_MAX).replaceAll(/"[^"]*"@\S*|\S*@\S*/g, '<address>');
}
