/** The courier of intake's notices, put together from `intake.notify`, `intake.email` and `intake.chat`. */
import { durationMs } from '#config/values/duration.ts';
import { limits } from '#config/limits.ts';
import type { IntakeConfig, Platform } from '#config/platform.ts';
import { AccessTokens, type Fetch } from '#actors/courier/client-credentials.ts';
import { logMailAttempt } from '#actors/courier/attempt-log.ts';
import { Courier } from '#actors/courier/courier.ts';
import { isFinalNotice, noticeSender, webApiSender } from '#actors/courier/send-notice.ts';
import { smtpSender, type Letter, type SmtpLogin } from '#actors/courier/smtp.ts';
import { attempted } from '#actors/courier/traces/attempt-span.ts';
import type { Spans } from '#actors/kit/trace/spans.ts';
import type { Log } from '#actors/host/activation.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { Outbound } from '#actors/kit/outbound/outbound.ts';
import { noticeKey, type Notice, type NoticeSettled } from '#actors/protocol/notice.ts';

/** `settle` is called once for each notice. */
export function noticeCourier(
  platform: Platform,
  log: Log,
  settle: (settled: NoticeSettled) => void,
  spans: Spans | null,
): Courier<Notice> {
  const { notify } = platform.intake;
  const timeoutMs = durationMs(notify.timeout);
  const allowPrivate = [...platform.outbound.allow_private, ...(platform.intake.outbound.allow_private ?? [])];
  const outbound = new Outbound({ allowPrivate, deadlineMs: timeoutMs });
  const fetch: Fetch = (url, request) => outbound.fetch(url, request);
  const send = noticeSender({ email: emailSender(platform.intake, fetch, timeoutMs), fetch, timeoutMs });
  return new Courier<Notice>({
    clock: systemClock,
    log,
    keyOf: noticeKey,
    rules: {
      // The queue contains both notices of a submission, mail and chat; the outbox has its own bound.
      queueDepthMax: 2 * notify.queue_depth,
      sendingMax: notify.workers,
      attemptsMax: notify.max_retries + 1,
      backoffMs: durationMs(notify.retry_backoff),
      backoffMsMax: limits.mail.backoffMsMax,
    },
    send: (notice) =>
      attempted(spans, { trace: notice.trace, name: `notice ${notice.kind}`, attributes: [] }, () => send(notice)),
    isFinal: isFinalNotice,
    failed: ({ id }, attempt) => logMailAttempt(log, { id }, attempt),
    settle: ({ id, kind }, outcome) => settle({ id, kind, outcome }),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  });
}

function emailSender(
  { email }: IntakeConfig,
  fetch: Fetch,
  waitMs: number,
): ((letter: Letter) => Promise<void>) | null {
  const { from, webapi, smtp } = email;
  if (email.provider === 'webapi') {
    if (webapi.url === undefined) return null;
    return webApiSender({ url: webapi.url, apiKey: webapi.api_key, from }, fetch);
  }
  if (smtp.host === '') return null;
  const { host, port, starttls } = smtp;
  return smtpSender({ host, port, starttls, from, waitMs, login: loginOf(smtp, fetch) });
}

function loginOf(smtp: IntakeConfig['email']['smtp'], fetch: Fetch): SmtpLogin | null {
  if (smtp.auth === 'none') return null;
  if (smtp.auth === 'plain') return { user: smtp.username, pass: smtp.password };
  const { token_url, client_id, client_secret, scope } = smtp.oauth;
  const client = { tokenUrl: token_url ?? '', clientId: client_id, clientSecret: client_secret, scope };
  const tokens = new AccessTokens(client, fetch, systemClock);
  return { user: smtp.username, token: () => tokens.get(), forget: () => tokens.forget() };
}
