/** Composes the mails with a link or a code, in the product's words. */
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { Position } from '#actors/protocol/position.ts';
import { chooseLanguage, languagesOf, mailLanguageOf } from '../mail/choose-language.ts';
import { commonValues, renderMail, templateFor } from '../mail/render-mail.ts';
import type { RenderedMail } from '../mail/render-mail.ts';
import type { UserRecord } from '../store.ts';
import type { MailEntry } from './store.ts';

/** Where a mail is composed. */
export interface MailPlace {
  readonly product: ProductDefinition;
  readonly position: Position;
}

/** The mail of an entry. The user's own language counts before that of the request, which a stranger may have made. */
export function composeMail(
  { product, position }: MailPlace,
  entry: MailEntry,
  user: UserRecord,
  own: Readonly<Record<string, string>>,
): RenderedMail {
  const { kind } = entry;
  const asked = entry.language ?? mailLanguageOf(product);
  const { locale } = user;
  const language = locale === undefined ? asked : chooseLanguage(languagesOf(product, kind), locale, asked);
  const values = { ...commonValues(position, { ...user, email: entry.to }, entry.expires_at), ...own };
  return renderMail(templateFor(product, kind, language), values);
}

/** The address that a link leads to. Neither a token nor a segment of a position has a character that a URL must escape. */
export function linkOf(template: string, { customer, product, env, tenant }: Position, token: string): string {
  const values: Readonly<Record<string, string>> = { token, customer, product, env, tenant };
  return template.replace(/\{(token|customer|product|env|tenant)\}/g, (_, name: string) => values[name]!);
}
