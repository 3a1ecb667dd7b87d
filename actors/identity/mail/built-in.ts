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
  sign_up: {
    subject: 'Confirm your address',
    text: withLink('Somebody, most likely you, asked for an account with this address. Choose a password here:'),
    button: 'Choose a password',
  },
  account_exists: {
    subject: 'You have an account already',
    text: withLink(
      'Somebody, most likely you, asked for an account with this address, which has one. Log in as always, or choose a new password here:',
    ),
    button: 'Choose a new password',
  },
  invitation: {
    subject: 'You are invited',
    text: withLink('An administrator invites you to an account. Choose a password here:'),
    button: 'Choose a password',
  },
  email_change: {
    subject: 'Confirm your new address',
    text: withLink('Somebody, most likely you, asked to log in with this address from now on. Confirm it here:'),
    button: 'Confirm the address',
  },
  password_changed: {
    subject: 'Your password was changed',
    text: 'The password of your account was changed, and its other logins ended. If you did not do it, reset the password now.\n',
    button: null,
  },
  email_changed: {
    subject: 'Your address was changed',
    text: 'Your account no longer has this address: its user has confirmed another one. If you did not do it, tell an administrator now.\n',
    button: null,
  },
  provider_linked: {
    subject: 'Another way to log in was added',
    text: 'From now on an account at {{provider}} logs you in. If you did not do it, take it away and reset the password now.\n',
    button: null,
  },
  provider_unlinked: {
    subject: 'A way to log in was taken away',
    text: 'Your account at {{provider}} no longer logs you in here. If you did not do it, reset the password now.\n',
    button: null,
  },
  passkey_added: {
    subject: 'A passkey was added to your account',
    text: 'From now on a new passkey logs you in. If you did not add it, remove it and reset the password now.\n',
    button: null,
  },
  passkey_removed: {
    subject: 'A passkey was removed from your account',
    text: 'A passkey no longer logs you in. If you did not remove it, reset the password now.\n',
    button: null,
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
