/** The mails of products that have no words of their own, in English. They are templates like a product's, and the same checks hold for them. */
import { MAIL_LANGUAGE } from '#config/definitions/mails.ts';
import type { MailKind } from '#config/definitions/mail-kinds.ts';
import type { MailTemplate } from '#config/definitions/product.ts';

const UNASKED = 'If you did not ask for it, do nothing.';

const withLink = (opening: string): string =>
  `${opening}\n\n{{link}}\n\nThe link works once, until {{until}}. ${UNASKED}\n`;

type Words = Pick<MailTemplate, 'subject' | 'text' | 'button'>;

const WORDS: Readonly<Record<MailKind, Words>> = {
  reset: {
    subject: 'Reset your password',
    text: withLink('Somebody, most likely you, asked to reset your password. Choose a new one here:'),
    button: 'Choose a new password',
  },
  magic_link: {
    subject: 'Your login link',
    text: withLink('Somebody, most likely you, asked for a link to log in. Open it here:'),
    button: 'Log in',
  },
  code: {
    subject: 'Your login code',
    text: `Somebody, most likely you, asked for a code to log in. Type it where you asked for it:\n\n{{code}}\n\nThe code works once, until {{until}}. Tell it to no one: we never ask for it. ${UNASKED}\n`,
    button: null,
  },
};

export function builtInMail(kind: MailKind): MailTemplate {
  return { kind, language: MAIL_LANGUAGE, html: null, ...WORDS[kind] };
}
