/** The wire to the mail server: one connection a mail, for logins are few and an idle connection is one more thing to break. */
import { limits } from '#config/limits.ts';
import type { Mail } from '#actors/protocol/mail.ts';

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** Refuse to speak without TLS; on port 465 TLS comes first (RFC 8314 §3). */
  readonly starttls: boolean;
  readonly login: { readonly user: string; readonly pass: string } | null;
  /** Address, or `Name <address>`. */
  readonly from: string;
}

const SUBMISSIONS_PORT = 465;

/** The function that sends one mail. nodemailer is loaded by the first: a node that sends none does not pay for it. */
export function smtpSender(settings: SmtpSettings): (mail: Mail) => Promise<void> {
  let transport: ReturnType<typeof openTransport> | null = null;
  return async (mail) => {
    transport ??= openTransport(settings);
    await (await transport).sendMail(messageOf(mail, settings.from));
  };
}

async function openTransport({ host, port, starttls, login }: SmtpSettings) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host,
    port,
    secure: port === SUBMISSIONS_PORT,
    requireTLS: starttls,
    ignoreTLS: !starttls,
    ...(login === null ? {} : { auth: login }),
    connectionTimeout: limits.mail.connectMs,
    greetingTimeout: limits.mail.greetingMs,
    socketTimeout: limits.mail.socketMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** The id is stable, so that a receiver can tell a repetition (RFC 5322 §3.6.4); nobody's holiday note answers it (RFC 3834 §5). */
function messageOf({ id, to, subject, text }: Mail, from: string) {
  return {
    from,
    to: { name: '', address: to },
    subject,
    text,
    messageId: `<${id}@${domainOf(from)}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

function domainOf(from: string): string {
  return from.slice(from.lastIndexOf('@') + 1).replace(/>?\s*$/, '');
}

/**
 * Whether a failure is the receiver's final word: a 5xx to the envelope or the message, or an address that no server would take.
 * A 5xx to the greeting or to our login is the operator's to mend, so it is tried again.
 */
export function isFinalFailure(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return false;
  return responseCode === undefined || responseCode >= 500;
}
