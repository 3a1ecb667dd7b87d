/** Renders a mail out of its template: subject, text and HTML. Templates only show values; nothing in them runs. */
import Mustache from 'mustache';
import type { MailTemplate } from '#config/definitions/product.ts';
import { htmlOf } from './layout.ts';

/** What a mail shows, by the names of its placeholders. */
export type MailValues = Readonly<Record<string, string>>;

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The mail that a template and values make; `language` is a value like the others. */
export function renderMail(template: Omit<MailTemplate, 'kind'>, values: MailValues): RenderedMail {
  const view = viewOf({ ...values, language: template.language });
  const html = template.html ?? htmlOf(template);
  return {
    subject: fill(template.subject, view, asIs),
    text: fill(template.text, view, asIs),
    html: fill(html, view, Mustache.escape),
  };
}

const asIs = (value: unknown): string => String(value);

/** The library keeps what it parsed by text, without a bound: here it keeps nothing. */
function fill(text: string, view: MailValues, escape: (value: string) => string): string {
  const writer = new Mustache.Writer();

  return writer.render(text, view, undefined, { escape });
}

/** Only own members, each on one line: a value cannot begin a header or a paragraph. */
function viewOf(values: MailValues): MailValues {
  const lines = Object.entries(values).map(
    ([name, value]) => [name, value.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')] as const,
  );
  return Object.assign(Object.create(null) as Record<string, string>, Object.fromEntries(lines));
}
