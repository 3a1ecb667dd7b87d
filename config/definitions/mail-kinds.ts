/** The kinds of mails that identity sends, and what a template of each may and must show. */

/** Names that every template may show. */
const EVERYWHERE = ['name', 'login', 'product', 'customer', 'env', 'tenant', 'until', 'language'] as const;

export interface MailKindRow {
  /** For people who write templates. */
  readonly what: string;
  /** The placeholder without which the mail would be of no use. */
  readonly needs: string;
}

/** A new kind: a row here, its English text in actors/identity/mail/built-in.ts. */
export const MAIL_KINDS = {
  reset: { what: 'the link that resets a password', needs: 'link' },
  magic_link: { what: 'the link that logs in', needs: 'link' },
  code: { what: 'the code that logs in', needs: 'code' },
} as const satisfies Readonly<Record<string, MailKindRow>>;

export type MailKind = keyof typeof MAIL_KINDS;

export const mailKinds = Object.keys(MAIL_KINDS) as readonly MailKind[];

/** The names that a template of this kind may show. */
export function placeholdersOf(kind: MailKind): readonly string[] {
  return [MAIL_KINDS[kind].needs, ...EVERYWHERE];
}
