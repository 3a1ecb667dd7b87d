/** Which template a mail of identity is made of, and what it may show. */
import { limits } from '#config/limits.ts';
import type { MailValues } from '#actors/kit/mail/render.ts';
import type { MailKind } from '#config/definitions/mail-kinds.ts';
import type { MailTemplate, ProductDefinition } from '#config/definitions/product.ts';
import type { Position } from '#actors/protocol/position.ts';
import { builtInMail } from './built-in.ts';
import { mailLanguageOf } from './choose-language.ts';

/** The product's template in a language, else in its own language of mails, else the built-in one. */
export function templateFor(product: ProductDefinition, kind: MailKind, language: string): MailTemplate {
  const own = (product.mails ?? []).filter((mail) => mail.kind === kind);
  const named = (tag: string): MailTemplate | undefined => own.find((mail) => mail.language === tag);
  return named(language) ?? named(mailLanguageOf(product)) ?? own[0] ?? builtInMail(kind);
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
