/**
 * `/mails` of the operations listener: the mails that a node in development keeps instead of sending them. Callers: browsers and programs of this
 * machine; the platform file is refused where the operations listener is reached from elsewhere (config/mail-problems.ts). A page of another site cannot read it:
 * the host must be this machine's (a name of another site that was rebound to loopback is refused), and every answer forbids to be embedded or run.
 */
import { isLoopback, parseBind } from '#config/bind.ts';
import type { KeptMail } from '#actors/protocol/mailbox.ts';
import type { Visit } from '../port.ts';
import { htmlPart, listPage, mailPage } from './mailbox-pages.ts';

export interface MailboxPorts {
  /** Every kept mail, newest first. */
  list(): Promise<readonly KeptMail[]>;
}

const PATH = /^\/mails(?:\/(\d{1,15})(\/html)?)?$/;

const SAFE =
  'Cache-Control: no-store\nX-Content-Type-Options: nosniff\nReferrer-Policy: no-referrer\nCross-Origin-Resource-Policy: same-origin\n';
const HTML = 'Content-Type: text/html; charset=utf-8\n';
const OWN_PAGE = `${HTML}${SAFE}Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\n`;
/** A mail's own HTML: no script, nothing from elsewhere, no origin. */
const PART = `${HTML}${SAFE}Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox\n`;
const JSON_TYPE = `Content-Type: application/json; charset=utf-8\n${SAFE}Vary: Accept\n`;
const TEXT = `Content-Type: text/plain; charset=utf-8\n${SAFE}`;

/** Whether a path is the mailbox's. */
export const isMailboxPath = (path: string): boolean => PATH.test(path);

/** Answers a GET of `/mails`, `/mails/{no}` or `/mails/{no}/html`; the first as JSON where `Accept` asks for it. */
export function showMailbox(ports: MailboxPorts, visit: Visit): void {
  if (!isThisMachine(visit.header('host'))) {
    visit.answer(
      403,
      TEXT,
      'the mailbox answers under the names of this machine only: open http://127.0.0.1:<port>/mails\n',
    );
    return;
  }
  const asJson = visit.header('accept').includes('application/json');
  const match = PATH.exec(visit.path);
  ports.list().then(
    (mails) => answer(visit, match, mails, asJson),
    () => visit.answer(503, `${TEXT}Retry-After: 1\n`, 'the courier is being started again: its mails are gone\n'),
  );
}

function answer(visit: Visit, match: RegExpExecArray | null, mails: readonly KeptMail[], asJson: boolean): void {
  const no = match?.[1];
  if (no === undefined) {
    if (asJson) visit.answer(200, JSON_TYPE, JSON.stringify({ mails }));
    else visit.answer(200, `${OWN_PAGE}Vary: Accept\n`, listPage(mails));
    return;
  }
  const mail = mails.find((one) => one.no === Number(no));
  if (mail === undefined) visit.answer(404, TEXT, 'there is no such mail, or it was dropped for newer ones\n');
  else if (match?.[2] === undefined) visit.answer(200, OWN_PAGE, mailPage(mail));
  else visit.answer(200, PART, htmlPart(mail));
}

function isThisMachine(host: string): boolean {
  const parsed = parseBind(host.includes(':', host.lastIndexOf(']') + 1) ? host : `${host}:80`);
  return parsed !== null && isLoopback(parsed.host);
}
