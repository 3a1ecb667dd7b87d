/** Sends one of intake's notices by the transport that its kind and the configuration name. Spec: docs/contract/intake.md §2.6. */
import type { Notice } from '#actors/protocol/notice.ts';
import type { Fetch } from './client-credentials.ts';
import { isFinalFailure, type Letter } from './smtp.ts';

export interface WebApiSettings {
  readonly url: string;
  readonly apiKey: string;
  readonly from: string;
}

export interface NoticeTransports {
  /** Null where no mail provider is configured. */
  readonly email: ((letter: Letter) => Promise<void>) | null;
  readonly fetch: Fetch;
  /** Bound of one attempt, in milliseconds. */
  readonly timeoutMs: number;
}

/** The receiver's HTTP status is not a success. */
class Refused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the receiver answered ${status}`);
    this.status = status;
  }
}

/** The function that sends a notice: rejects when it was not accepted, or not within the time of an attempt. */
export function noticeSender(transports: NoticeTransports): (notice: Notice) => Promise<void> {
  const { email, fetch, timeoutMs } = transports;
  return (notice) => {
    if (notice.kind === 'chat') return within(timeoutMs, postJson(fetch, notice.webhook, { text: notice.text }, {}));
    return email === null
      ? Promise.reject(new Error('no mail provider is configured: set intake.email'))
      : within(timeoutMs, email(notice));
  };
}

/** Mail over a web API: one JSON object to the configured URL, the key as a bearer token, the id as its Idempotency-Key. */
export function webApiSender({ url, apiKey, from }: WebApiSettings, fetch: Fetch): (letter: Letter) => Promise<void> {
  return ({ id, to, subject, text, replyTo = '' }) => {
    const body = { from, to, subject, text, ...(replyTo === '' ? {} : { reply_to: replyTo }) };
    return postJson(fetch, url, body, { Authorization: `Bearer ${apiKey}`, 'Idempotency-Key': id });
  };
}

/** Whether a failure is final: for HTTP a 4xx that says neither "later" nor "too many". */
export function isFinalNotice(error: unknown): boolean {
  if (!(error instanceof Refused)) return isFinalFailure(error);
  return error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429;
}

async function postJson(fetch: Fetch, url: string, body: object, more: Record<string, string>): Promise<void> {
  const headers = { 'Content-Type': 'application/json', 'User-Agent': 'skep-intake/1', ...more };
  const response = await fetch(new URL(url), { method: 'POST', headers, body: JSON.stringify(body) });
  await response.body?.cancel();
  if (response.status < 200 || response.status > 299) throw new Refused(response.status);
}

async function within(ms: number, sending: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([sending, late]);
  } finally {
    clearTimeout(timer);
  }
}
