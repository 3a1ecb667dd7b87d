/** Composes mails with a link, and notices, in plain text. */
import type { Position } from '#actors/protocol/position.ts';
import type { OneTimeKind } from './store.ts';

interface Words {
  readonly subject: string;
  readonly opening: string;
}

const WORDS: Readonly<Record<OneTimeKind | 'account_exists', Words>> = {
  reset: {
    subject: 'Reset your password',
    opening: 'Somebody, most likely you, asked to reset your password. Choose a new one here:',
  },
  magic_link: {
    subject: 'Your login link',
    opening: 'Somebody, most likely you, asked for a link to log in. Open it here:',
  },
  sign_up: {
    subject: 'Confirm your address',
    opening: 'Somebody, most likely you, asked for an account with this address. Choose a password here:',
  },
  account_exists: {
    subject: 'You have an account already',
    opening:
      'Somebody, most likely you, asked for an account with this address, which has one. Log in as always, or choose a new password here:',
  },
  invitation: {
    subject: 'You are invited',
    opening: 'An administrator invites you to an account. Choose a password here:',
  },
  email_change: {
    subject: 'Confirm your new address',
    opening: 'Somebody, most likely you, asked to log in with this address from now on. Confirm it here:',
  },
};

const NOTICES = {
  password_changed: {
    subject: 'Your password was changed',
    text: 'The password of your account was changed, and its other logins ended. If you did not do it, reset the password now.\n',
  },
  email_changed: {
    subject: 'Your address was changed',
    text: 'Your account no longer has this address: its user has confirmed another one. If you did not do it, tell an administrator now.\n',
  },
} as const;

/** A mail without a link. */
export function composeNotice(kind: keyof typeof NOTICES): { subject: string; text: string } {
  return NOTICES[kind];
}

/** Subject and text. `template` is a URL with `{token}`, and `{customer} {product} {env} {tenant}` where the page needs them. */
export function composeMail(
  kind: keyof typeof WORDS,
  template: string,
  position: Position,
  token: string,
  expiresAt: string,
): { subject: string; text: string } {
  const { subject, opening } = WORDS[kind];
  const until = `${expiresAt.slice(0, 16).replace('T', ' ')} UTC`;
  const text = `${opening}\n\n${linkOf(template, position, token)}\n\nThe link works once, until ${until}. If you did not ask for it, do nothing.\n`;
  return { subject, text };
}

/** Neither a token nor a segment of a position has a character that a URL must escape. */
function linkOf(template: string, { customer, product, env, tenant }: Position, token: string): string {
  const values: Readonly<Record<string, string>> = { token, customer, product, env, tenant };
  return template.replace(/\{(token|customer|product|env|tenant)\}/g, (_, name: string) => values[name]!);
}
