/** Renders a mail out of its template: subject, text and HTML. Templates only show values; nothing in them runs. */
import Mustache from 'mustache';
import { limits } from '#config/limits.ts';
import type { MailKind } from '#config/definitions/mail-kinds.ts';
import type { MailTemplate, ProductDefinition } from '#config/definitions/product.ts';
import type { Position } from '#actors/protocol/position.ts';
import { builtInMail } from './built-in.ts';
import { mailLanguageOf } from './choose-language.ts';
import { htmlOf } from './layout.ts';

/** What a mail shows, by the names of its placeholders. */
export type MailValues = Readonly<Record<string, string>>;

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The product's template in a language, else in its own language of mails, else the built-in one. */
export function templateFor(product: ProductDefinition, kind: MailKind, language: string): MailTemplate {
  const own = (product.mails ?? []).filter((mail) => mail.kind === kind);
  const named = (tag: string): MailTemplate | undefined => own.find((mail) => mail.language === tag);
  return named(language) ?? named(mailLanguageOf(product)) ?? own[0] ?? builtInMail(kind);
}

export function renderMail(template: MailTemplate, values: MailValues): RenderedMail {
  const view = viewOf({ ...values, language: template.language });
  const html = template.html ?? htmlOf(template);
  return {
    subject: fill(template.subject, view, asIs),
    text: fill(template.text, view, asIs),
    html: fill(html, view, Mustache.escape),
  };
}

/** What each kind shows besides its link or code. `until` is the end of the link or code. */
export function commonValues(
  position: Position,
  person: { readonly email: string; readonly firstname: string | null; readonly lastname: string | null },
  until: string,
): MailValues {
  const { customer, product, env, tenant } = position;
  const name = nameOf([person.firstname, person.lastname]);
  return { customer, product, env, tenant, login: person.email, name, until: untilText(until) };
}

const untilText = (instant: string): string => `${instant.slice(0, 16).replace('T', ' ')} UTC`;

/** A name as a mail may show it: a stranger who signs an address up writes it, and mail programs turn what looks like an address into a link. */
function nameOf(parts: readonly (string | null)[]): string {
  const joined = parts.filter((part) => part !== null && part !== '').join(' ');
  const plain = joined.replaceAll(/[^\p{L}\p{M}\p{Zs}'’.-]|\.(?=\S)/gu, ' ').replaceAll(/\s+/g, ' ');
  return Array.from(plain.trim()).slice(0, limits.mail.nameCharsMax).join('');
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
