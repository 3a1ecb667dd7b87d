/** Composes the mails with a link or a code, and notices, in the product's words. */
import type { MailKind } from '#config/definitions/mail-kinds.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { Position } from '#actors/protocol/position.ts';
import { chooseLanguage, languagesOf, mailLanguageOf } from '../mail/choose-language.ts';
import { renderMail, type RenderedMail } from '#actors/kit/mail/render.ts';
import { commonValues, templateFor } from '../mail/render-mail.ts';
import type { UserRecord } from '../store.ts';
import type { MailEntry } from './store.ts';

/** Where a mail is composed. */
export interface MailPlace {
  readonly product: ProductDefinition;
  readonly position: Position;
}

const NAMELESS = { firstname: null, lastname: null } as const;

/**
 * The mail of an entry, in words of a kind. `user`: undefined for a person who has no account yet. The user's own language counts before that of the
 * request, which a stranger may have made. `own`: the link or the code, the provider of a notice.
 */
export function composeMail(
  { product, position }: MailPlace,
  kind: MailKind,
  entry: MailEntry,
  user: UserRecord | undefined,
  own: Readonly<Record<string, string>> = {},
): RenderedMail {
  const asked = entry.language ?? mailLanguageOf(product);
  const locale = user?.locale;
  const language = locale === undefined ? asked : chooseLanguage(languagesOf(product, kind), locale, asked);
  const { firstname, lastname } = user ?? NAMELESS;
  const values = { ...commonValues(position, { firstname, lastname, email: entry.to }, entry.expires_at), ...own };
  return renderMail(templateFor(product, kind, language), values);
}

/** The address that a link leads to. Neither a token nor a segment of a position has a character that a URL must escape. */
export function linkOf(template: string, { customer, product, env, tenant }: Position, token: string): string {
  const values: Readonly<Record<string, string>> = { token, customer, product, env, tenant };
  return template.replace(/\{(token|customer|product|env|tenant)\}/g, (_, name: string) => values[name]!);
}
