/** Renders a submission as a mail and as a chat message. Submitted values go into the body only, one line each, without control characters. */
import type { FormDefinition } from '#config/definitions/form.ts';
import { limits } from '#config/limits.ts';
import type { Notice, NoticeKind } from '#actors/protocol/notice.ts';
import type { FieldValue, Submission } from './submission.ts';

/** The notice of one kind; null when the form does not want it any more. `webhook` is the fallback for forms without one. */
export function renderNotice(
  kind: NoticeKind,
  form: FormDefinition,
  submission: Submission,
  webhook: string,
): Notice | null {
  return kind === 'email' ? renderEmail(form, submission) : renderChat(form, submission, webhook);
}

/** The webhook of a form's chat messages, '' for none. Spec: docs/contract/intake.md §2.6, `chat.default_webhook`. */
export function webhookOf(form: FormDefinition, fallback: string): string {
  return form.notify?.chat?.webhook ?? fallback;
}

function renderEmail(form: FormDefinition, submission: Submission): Notice | null {
  const email = form.notify?.email;
  if (email === undefined) return null;
  const { to, subject = `New submission: ${form.title ?? form.id}`, reply_to_field: field } = email;
  const replyTo = field === undefined ? '' : (submission.fields[field] ?? '');
  const text = bodyOf(form, submission);
  // A reply field has the type email, whose check allows no line break, and so no second header.
  return {
    kind: 'email',
    id: submission.id,
    to,
    subject: oneLine(subject),
    text,
    replyTo: typeof replyTo === 'string' ? replyTo : '',
  };
}

function renderChat(form: FormDefinition, submission: Submission, fallback: string): Notice | null {
  const webhook = webhookOf(form, fallback);
  if (webhook === '') return null;
  const text = escapeMarkup(`${oneLine(form.title ?? form.id)}\n${bodyOf(form, submission)}`);
  return { kind: 'chat', id: submission.id, webhook, text: text.slice(0, limits.intake.noticeCharsMax) };
}

function bodyOf(form: FormDefinition, { id, received_at, fields }: Submission): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${shown(value)}`);
  return `${lines.join('\n')}\n\nform ${form.id}, ${id}, received ${received_at}\n`;
}

function shown(value: FieldValue): string {
  if (typeof value === 'object') return `${oneLine(value.name)} (${value.size} bytes, ${oneLine(value.content_type)})`;
  // A text of several lines is indented, so that it cannot look like another field.
  return printable(String(value)).replaceAll('\n', '\n    ');
}

function oneLine(text: string): string {
  return printable(text).replaceAll(/\s+/g, ' ').trim();
}

/** Writes line ends as \n and replaces other control characters, even those that change the direction of the text. */
function printable(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, ' ');
}

/** Escapes what receivers of chat webhooks read as markup or as a mention of a whole channel. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
