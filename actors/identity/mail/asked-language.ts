/** The language that a request asks a mail in. */
import type { MailKind } from '#config/definitions/mail-kinds.ts';
import type { Call } from '#actors/host/call.ts';
import { chooseLanguage, languagesOf, mailLanguageOf } from './choose-language.ts';

/** By the request alone, also where the user has a language: for an unknown address the work is the same. The row names `accept-language`. */
export function askedLanguage(call: Call, kind: MailKind): string {
  const { product } = call.activation;
  return chooseLanguage(languagesOf(product, kind), call.header('accept-language') ?? '', mailLanguageOf(product));
}
