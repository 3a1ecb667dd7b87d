/** Checks a submission before anything is stored, in the contract's order. Spec: docs/contract/intake.md §4.4. */
import type { Call } from '#actors/host/call.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import type { CaptchaDesk } from '#actors/kit/captcha/desk.ts';
import { shownProof } from './captcha.ts';
import type { CompiledForm } from './compile-form.ts';
import { idempotencyKey } from './idempotency.ts';
import type { BodyLimits, Input } from './input.ts';
import { readBody } from './read-body.ts';
import { refuse, type IntakeRefusalCode } from './refusals.ts';
import type { Fields } from './submission.ts';

export interface AdmitParts {
  /** The present forms: SIGHUP may change them. */
  readonly forms: () => ReadonlyMap<string, CompiledForm>;
  readonly http: BodyLimits;
  readonly captchas: CaptchaDesk;
}

export interface Admitted {
  readonly kind: 'admitted';
  readonly form: string;
  readonly fields: Fields;
  /** '' without one. */
  readonly idempotencyKey: string;
  /** The answer to the captcha, to be spent; '' where the form asks for none. */
  readonly proof: string;
  /** `traceparent` of the request, where it is traced. */
  readonly trace?: string;
}

/** A submission with a filled honeypot: it is answered like a stored one, but not stored. */
export interface Bot {
  readonly kind: 'bot';
}

const BOT: Bot = { kind: 'bot' };

type SubmissionRefusal = Refusal<Exclude<IntakeRefusalCode, 'intake.no_captcha'>>;

export type Judged = Admitted | Bot | SubmissionRefusal;

/** Judges a submission. Refuses 404, 415, 413, 400, the captcha and 422, in this order; 422 lists all faults. The door has checked the gateway secret before. */
export function admit(parts: AdmitParts, call: Call): Judged | Promise<Judged> {
  const form = parts.forms().get(call.param('id'));
  if (form === undefined) return refuse('intake.unknown_form');
  const input = readBody(call.header('content-type'), call.header('content-encoding'), call.body, parts.http);
  return input instanceof Promise
    ? input.then((read) => judge(parts, form, call, read))
    : judge(parts, form, call, input);
}

function judge(parts: AdmitParts, form: CompiledForm, call: Call, input: Input | SubmissionRefusal): Judged {
  if (isRefusal(input)) return input;
  if (form.isBot(input)) return BOT;
  const proof = form.captcha === undefined ? '' : shownProof(parts.captchas, form.id, input);
  if (isRefusal(proof)) return proof;
  const key = idempotencyKey(call.header('idempotency-key'), input);
  if (isRefusal(key)) return key;
  const checked = form.check(input);
  if (!checked.ok) return refuse('intake.validation', { details: { fields: checked.faults } });
  const traced = call.trace === null ? {} : { trace: call.trace.traceparent };
  return { kind: 'admitted', form: form.id, fields: checked.fields, idempotencyKey: key, proof, ...traced };
}
