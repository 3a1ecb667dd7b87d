/** Counters of `/metrics`, by the contract's names. Spec: docs/contract/intake.md §5.2. */
import type { NoticeCounts } from './notice-outbox.ts';
import type { IntakeRefusalCode } from './refusals.ts';

const OUTCOMES = [
  'accepted',
  'validation_failed',
  'unknown_form',
  'too_large',
  'unsupported_media_type',
  'bad_request',
  'rate_limited',
  'shedding',
  'bot',
  'forbidden',
  'internal',
] as const;

/** The outcome of a request; each request is counted once. */
export type SubmissionOutcome = (typeof OUTCOMES)[number];

/** The counter of each refusal. */
export const OUTCOME_OF: Readonly<Record<IntakeRefusalCode, SubmissionOutcome>> = {
  'intake.bad_request': 'bad_request',
  'intake.captcha_required': 'bad_request',
  'intake.captcha_invalid': 'bad_request',
  'intake.no_captcha': 'bad_request',
  'intake.forbidden': 'forbidden',
  'intake.unknown_form': 'unknown_form',
  'intake.read_timeout': 'bad_request',
  'intake.too_large': 'too_large',
  'intake.unsupported_media_type': 'unsupported_media_type',
  'intake.validation': 'validation_failed',
  'intake.idempotency_mismatch': 'validation_failed',
  'intake.rate_limited': 'rate_limited',
  'intake.internal': 'internal',
  'intake.shedding': 'shedding',
};

export interface IntakeCounts {
  readonly requests: Readonly<Record<SubmissionOutcome, number>>;
  /** While notices are on. */
  readonly notify?: NoticeCounts;
}

export class Counters {
  readonly #requests = Object.fromEntries(OUTCOMES.map((name) => [name, 0])) as Record<SubmissionOutcome, number>;

  /** Adds `times` to one counter; the door also reports its own refusals here. */
  count(outcome: SubmissionOutcome, times = 1): void {
    this.#requests[outcome] += times;
  }

  snapshot(): Pick<IntakeCounts, 'requests'> {
    return { requests: { ...this.#requests } };
  }
}

/** The counters in the Prometheus text format (exposition format 0.0.4). */
export function prometheusText(counts: IntakeCounts): string {
  let text = '# HELP intake_requests_total Submissions by outcome.\n# TYPE intake_requests_total counter\n';
  for (const name of OUTCOMES) text += `intake_requests_total{outcome="${name}"} ${counts.requests[name]}\n`;
  if (counts.notify === undefined) return text;
  text += '# HELP intake_notify_total Notices by outcome.\n# TYPE intake_notify_total counter\n';
  for (const [name, value] of Object.entries(counts.notify)) text += `intake_notify_total{event="${name}"} ${value}\n`;
  return text;
}
