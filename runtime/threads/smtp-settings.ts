/** The platform's mail keys in the form that the courier takes. */
import type { Platform } from '#config/platform.ts';
import type { SmtpSettings } from '#actors/courier/smtp.ts';

/** Throws where no mail server is configured, since the courier should not carry mail then. */
export function smtpSettings({ identity }: Platform): SmtpSettings {
  if (identity.mail?.smtp === undefined) throw new Error('identity.mail.smtp is not configured');
  const { smtp, from } = identity.mail;
  const { host, port, starttls, auth, username, password } = smtp;
  const login = auth === 'none' ? null : { user: username!, pass: password! };
  return { host, port, starttls, login, from };
}
