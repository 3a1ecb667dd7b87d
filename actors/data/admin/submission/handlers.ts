/** GET …/submissions, GET …/submissions/export (docs/contract/triggers.md §7.4). */
import { isUlid } from '#config/values/id.ts';
import { instantMs } from '#config/values/instant.ts';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import { shown } from '#actors/kit/shown.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, replyText, type Outcome } from '#actors/protocol/route.ts';
import { refuse } from '../../refusals.ts';
import { newestSubmissions, oldestSubmissions, type SubmissionWish } from '../../submission/list.ts';
import { SUBMISSION_OUTCOMES } from '../../submission/store.ts';
import { placeOf } from '../gate.ts';
import type { SubmissionRows } from './routes.ts';

export const submissionHandlers: Handlers<SubmissionRows> = { submissions: list, submission_export: exported };

function list(call: Call): Outcome<SubmissionRows['submissions']> {
  const { pageRows, pageRowsMax } = limits.submissions;
  const wanted = call.query.get('outcome') ?? '';
  const outcome = SUBMISSION_OUTCOMES.find((known) => known === wanted) ?? null;
  if (wanted !== '' && outcome === null) {
    const message = `no outcome ${shown(wanted)}: it is one of ${SUBMISSION_OUTCOMES.join(', ')}`;
    return refuse('v2.bad_outcome', { message });
  }
  const wish = wishOf(call, 'before', { usual: pageRows, most: pageRowsMax });
  if (isRefusal(wish)) return wish;
  const page = newestSubmissions(call, { ...wish, outcome });
  recordRead(call, 'read', wish.form, page.submissions.length);
  return reply(200, { ...placeOf(call), ...page });
}

function exported(call: Call): Outcome<SubmissionRows['submission_export']> {
  const most = limits.submissions.exportRowsMax;
  const wish = wishOf(call, 'after', { usual: most, most });
  if (isRefusal(wish)) return wish;
  const { submissions, next } = oldestSubmissions(call, wish);
  recordRead(call, 'export', wish.form, submissions.length);
  const lines = [...submissions, { end: { count: submissions.length, next } }];
  return replyText(200, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), 'application/x-ndjson');
}

/** What both ask alike: `form`, `from`, `to`, `limit`, and where the page goes on. */
function wishOf(call: Call, cursor: 'before' | 'after', { usual, most }: { usual: number; most: number }) {
  const text = (name: string): string | null => {
    const given = call.query.get(name) ?? '';
    return given === '' ? null : given;
  };
  const times = { from: timeOf(text('from'), -Infinity), to: timeOf(text('to'), Infinity) };
  for (const [name, ms] of Object.entries(times))
    if (Number.isNaN(ms))
      return refuse('v2.bad_time', {
        message: `${name} is no instant such as 2026-11-27T09:00:00Z: ${shown(text(name))}`,
      });
  const behind = text(cursor);
  if (behind !== null && !isUlid(behind))
    return refuse('v2.bad_submission_cursor', { message: `${cursor} is not the id of a submission: ${shown(behind)}` });
  const asked = text('limit');
  const number = asked !== null && /^\d{1,6}$/.test(asked) ? Number(asked) : usual;
  const limit = Math.max(1, Math.min(number, most));
  const wish: SubmissionWish = { form: text('form'), outcome: null, fromMs: times.from, toMs: times.to, behind, limit };
  return wish;
}

const timeOf = (text: string | null, unset: number): number => (text === null ? unset : instantMs(text));

/** Submissions are what people wrote about themselves: who read them is on record, what they say is not. */
function recordRead(call: Call, verb: 'read' | 'export', form: string | null, count: number): void {
  const data = { form: form ?? '', count };
  call.record(() => call.event({ outcome: 'ok', action: `data.submission.${verb}`, target: '', data }));
}
