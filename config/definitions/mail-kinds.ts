/** The kinds of mails that identity sends, and what a template of each may and must show. */

/** Names that every template may show. */
const EVERYWHERE = ['name', 'login', 'product', 'customer', 'env', 'tenant', 'until', 'language'] as const;

export interface MailKindRow {
  /** For people who write templates. */
  readonly what: string;
  /** The placeholder without which the mail would be of no use; null for a notice. */
  readonly needs: 'link' | 'code' | null;
  /** What a notice may show besides. */
  readonly has?: 'provider';
}

/** A new kind: a row here, its English text in actors/identity/mail/built-in.ts. */
export const MAIL_KINDS = {
  reset: { what: 'the link that resets a password', needs: 'link' },
  magic_link: { what: 'the link that logs in', needs: 'link' },
  sign_up: { what: 'the link that confirms a sign-up', needs: 'link' },
  account_exists: {
    what: 'a sign-up with an address that has an account: the link that resets its password',
    needs: 'link',
  },
  invitation: { what: 'the link of an invitation', needs: 'link' },
  email_change: { what: 'the link that confirms a new address', needs: 'link' },
  password_changed: { what: 'a notice that the password was changed', needs: null },
  email_changed: { what: 'a notice to the old address that it was changed', needs: null },
  provider_linked: { what: 'a notice that an account at a provider logs the user in', needs: null, has: 'provider' },
  provider_unlinked: { what: 'a notice that it no longer does', needs: null, has: 'provider' },
  passkey_added: { what: 'a notice that a passkey was added', needs: null },
  passkey_removed: { what: 'a notice that a passkey was removed', needs: null },
  code: { what: 'the code that logs in', needs: 'code' },
} as const satisfies Readonly<Record<string, MailKindRow>>;

export type MailKind = keyof typeof MAIL_KINDS;

export const mailKinds = Object.keys(MAIL_KINDS) as readonly MailKind[];

/** What a mail of this kind has beside what all have. */
export function ownOf(kind: MailKind): readonly ('link' | 'code' | 'provider')[] {
  const { needs, has }: MailKindRow = MAIL_KINDS[kind];
  return [...(needs === null ? [] : [needs]), ...(has === undefined ? [] : [has])];
}

/** The names that a template of this kind may show. */
export function placeholdersOf(kind: MailKind): readonly string[] {
  return [...ownOf(kind), ...EVERYWHERE];
}
