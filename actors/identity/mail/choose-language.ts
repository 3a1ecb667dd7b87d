/** The language of a mail. Spec: docs/contract/identity-mails.md §2; RFC 9110 §12.5.4, RFC 4647 §3.4 (lookup). */
import { limits } from '#config/limits.ts';
import { MAIL_LANGUAGE } from '#config/definitions/mails.ts';
import type { MailKind } from '#config/definitions/mail-kinds.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';

const RANGE = /^\s*([A-Za-z0-9-]{1,35}|\*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/;

/** The product's own language of mails. */
export const mailLanguageOf = (product: ProductDefinition): string => product.settings.mails?.language ?? MAIL_LANGUAGE;

/** The languages that a kind of mail can be written in: the product's; the built-in one only where it has none. */
export function languagesOf(product: ProductDefinition, kind: MailKind): readonly string[] {
  const own = (product.mails ?? []).filter((mail) => mail.kind === kind).map(({ language }) => language);
  return own.length > 0 ? own : [MAIL_LANGUAGE];
}

/** The best of `languages` for an `Accept-Language` header, else `otherwise`. It looks at a bounded part of the header. */
export function chooseLanguage(languages: readonly string[], accept: string, otherwise: string): string {
  const known = new Map(languages.map((language) => [language.toLowerCase(), language]));
  for (const range of rangesOf(accept)) {
    if (range === '*') return otherwise;
    const found = lookUp(known, range);
    if (found !== undefined) return found;
  }
  return otherwise;
}

/** The ranges, most wanted first; those with q=0 are not wanted. */
function rangesOf(accept: string): string[] {
  const ranges = accept.slice(0, limits.mail.acceptCharsMax).split(',', limits.mail.acceptRangesMax);
  const weighed = ranges.flatMap((text) => {
    const match = RANGE.exec(text);
    const weight = match === null ? 0 : Number(match[2] ?? '1');
    return match === null || weight === 0 ? [] : [{ range: match[1]!.toLowerCase(), weight }];
  });
  return weighed.toSorted((a, b) => b.weight - a.weight).map(({ range }) => range);
}

/** The range itself, or with its last parts cut off; then a language of which it is the beginning (`de` takes `de-CH`). */
function lookUp(known: ReadonlyMap<string, string>, range: string): string | undefined {
  for (let cut = range; cut !== ''; cut = cut.slice(0, Math.max(0, cut.lastIndexOf('-')))) {
    const found = known.get(cut);
    if (found !== undefined) return found;
  }
  for (const [tag, language] of known) if (tag.startsWith(`${range}-`)) return language;
  return undefined;
}
