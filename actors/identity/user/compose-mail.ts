/** Composes the mails with a link, in plain text. */
import type { Position } from '#actors/protocol/position.ts';
import type { OneTimeKind } from './store.ts';

interface Words {
  readonly subject: string;
  readonly opening: string;
}

const WORDS: Readonly<Record<OneTimeKind, Words>> = {
  reset: {
    subject: 'Reset your password',
    opening: 'Somebody, most likely you, asked to reset your password. Choose a new one here:',
  },
  magic_link: {
    subject: 'Your login link',
    opening: 'Somebody, most likely you, asked for a link to log in. Open it here:',
  },
};

/** Subject and text. `template` is a URL with `{token}`, and `{customer} {product} {env} {tenant}` where the page needs them. */
export function composeMail(
  kind: OneTimeKind,
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
