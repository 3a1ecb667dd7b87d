/** SMTP: one connection for each mail, because logins are few and an idle connection can break. */
import { limits } from '#config/limits.ts';

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** Refuse to speak without TLS; on port 465 TLS comes first (RFC 8314 §3). */
  readonly starttls: boolean;
  readonly login: SmtpLogin | null;
  /** Address, or `Name <address>`. */
  readonly from: string;
  /** Time limit of each step of a conversation, in milliseconds; `limits.mail` unless given. */
  readonly waitMs?: number;
}

export type SmtpLogin =
  | { readonly user: string; readonly pass: string }
  /** SASL XOAUTH2: `token` gives an access token; `forget` is called when the server refused it. */
  | { readonly user: string; readonly token: () => Promise<string>; readonly forget: () => void };

/** A mail with its visible parts. The id is stable, so that a receiver can recognise a repetition (RFC 5322 §3.6.4). */
export interface Letter {
  readonly id: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Absent: text alone. */
  readonly html?: string;
  /** '' for the configured sender. */
  readonly replyTo?: string;
}

const SUBMISSIONS_PORT = 465;

type Transport = Awaited<ReturnType<typeof openTransport>>;

/**
 * The function that sends one mail, until the signal aborts it. nodemailer is loaded by the first mail: a node that sends none does not pay for it.
 */
export function smtpSender(settings: SmtpSettings): (letter: Letter, signal?: AbortSignal) => Promise<void> {
  let transport: Promise<Transport> | null = null;
  const { login, from } = settings;
  return async (letter, signal) => {
    transport ??= openTransport(settings);
    const message = { ...messageOf(letter, from), signal };
    if (login === null || 'pass' in login) await (await transport).sendMail(message);
    else await withToken(await transport, message, login);
  };
}

/** A token that the server refuses is not used again. */
async function withToken(
  transport: Transport,
  message: ReturnType<typeof messageOf> & { readonly signal: AbortSignal | undefined },
  login: Extract<SmtpLogin, { token: unknown }>,
): Promise<void> {
  const auth = { user: login.user, pass: await login.token() };
  try {
    await transport.sendMail({ ...message, auth });
  } catch (error) {
    if ((error as { code?: string }).code === 'EAUTH') login.forget();
    throw error;
  }
}

/** The library's own XOAUTH2 sends a refused token a second time, which some servers count as an attack: ours sends it once. */
const ONCE = 'SKEP-XOAUTH2';

interface Conversation {
  readonly auth: { readonly credentials: { readonly user: string; readonly pass: string } };
  readonly sendCommand: (command: string) => Promise<{ readonly status: number; readonly response: string }>;
}

/** SASL XOAUTH2: after a 334 with the reasons the client owes an empty line, and the refusal follows. */
async function showToken({ auth: { credentials }, sendCommand }: Conversation): Promise<void> {
  const { user, pass } = credentials;
  const said = Buffer.from(`user=${user}\x01auth=Bearer ${pass}\x01\x01`).toString('base64');
  const first = await sendCommand(`AUTH XOAUTH2 ${said}`);
  const { status, response } = first.status === CHALLENGED ? await sendCommand('') : first;
  if (status !== AUTHENTICATED) throw new Error(response);
}

const CHALLENGED = 334;
const AUTHENTICATED = 235;

async function openTransport({ host, port, starttls, login, waitMs }: SmtpSettings) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host,
    port,
    secure: port === SUBMISSIONS_PORT,
    requireTLS: starttls,
    ignoreTLS: !starttls,
    ...(login === null ? {} : { auth: 'pass' in login ? login : { type: 'CUSTOM', method: ONCE, user: login.user } }),
    customAuth: { [ONCE]: showToken },
    connectionTimeout: waitMs ?? limits.mail.connectMs,
    greetingTimeout: waitMs ?? limits.mail.greetingMs,
    socketTimeout: waitMs ?? limits.mail.socketMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Auto-replies must not answer it (RFC 3834 §5). Addresses go as objects: a text could hold several. */
function messageOf({ id, to, subject, text, html, replyTo = '' }: Letter, from: string) {
  return {
    from,
    to: to.map((address) => ({ name: '', address })),
    subject,
    text,
    ...(html === undefined ? {} : { html }),
    ...(replyTo === '' ? {} : { replyTo: { name: '', address: replyTo } }),
    messageId: `<${id}@${domainOf(from)}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

function domainOf(from: string): string {
  return from.slice(from.lastIndexOf('@') + 1).replace(/>?\s*$/, '');
}

/**
 * Whether a failure is final: a 5xx to the envelope or the message, or an address that no server accepts. The operator can fix the cause of a 5xx
 * to the greeting or to our login, so it is tried again.
 */
export function isFinalFailure(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return false;
  return responseCode === undefined || responseCode >= 500;
}
