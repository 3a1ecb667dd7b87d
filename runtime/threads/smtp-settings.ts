/** The platform's mail keys as the courier takes them. */
import type { Platform } from '#config/platform.ts';
import type { SmtpSettings } from '#actors/courier/smtp.ts';

/** Throws where no mail is configured: the thread should not be there. */
export function smtpSettings({ identity }: Platform): SmtpSettings {
  if (identity.mail === undefined) throw new Error('identity.mail is not configured');
  const { smtp, from } = identity.mail;
  const { host, port, starttls, auth, username, password } = smtp;
  const login = auth === 'none' ? null : { user: username!, pass: password! };
  return { host, port, starttls, login, from };
}
