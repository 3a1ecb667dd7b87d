/** One mail over SMTP, against a real server. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { isFinalFailure, smtpSender, type SmtpSettings } from '#actors/courier/smtp.ts';
import { MailServer } from '#test/kit/mail-server.ts';

const MAIL = {
  id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  to: ['ada@example.org'],
  subject: 'Grüße',
  text: 'a link\nhttps://example.org/x?token=y\n',
};

let server: MailServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function open(...options: ConstructorParameters<typeof MailServer>): Promise<MailServer> {
  server = new MailServer(...options);
  await server.listen();
  return server;
}

function settings(port: number, more: Partial<SmtpSettings> = {}): SmtpSettings {
  return { host: '127.0.0.1', port, starttls: false, login: null, from: 'Skep <no-reply@skep.example>', ...more };
}

/** What sending fails with. */
async function failureOf(more: SmtpSettings): Promise<{ code: string; responseCode?: number }> {
  return smtpSender(more)(MAIL).then(
    () => Promise.reject(new Error('it was sent')),
    (error: unknown) => error as { code: string; responseCode?: number },
  );
}

/** A certificate for 127.0.0.1 that is self-signed. */
function selfMade(): { readonly key: string; readonly cert: string } {
  const dir = mkdtempSync(join(tmpdir(), 'skep-mail-tls-'));
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cert];
  try {
    execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

describe('smtpSender', () => {
  test('a signal ends a conversation with a server that says nothing: the mail does not leave', async () => {
    const silent = createServer();
    const ending = new AbortController();
    const closed = new Promise<void>((resolve) => {
      silent.once('connection', (socket) => {
        socket.once('close', () => resolve()).resume();
        ending.abort();
      });
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    await expect(smtpSender(settings(port))(MAIL, ending.signal)).rejects.toThrow();
    await closed;
    silent.close();
  });

  test('STARTTLS: under a certificate that is trusted the mail and the login go encrypted; under another nothing goes', async () => {
    const tls = selfMade();
    const secure: boolean[] = [];
    const { port, received } = await open({
      ...tls,
      disabledCommands: [],
      hideSTARTTLS: false,
      authOptional: false,
      onAuth: ({ username }, session, done) => {
        secure.push(session.secure);
        done(null, { user: username });
      },
    });
    const encrypted = settings(port, { starttls: true, login: { user: 'skep', pass: 'x' } });
    expect(isFinalFailure(await failureOf(encrypted))).toBe(false);
    expect([secure, received]).toEqual([[], []]);
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, tls.cert]);
    try {
      await smtpSender(encrypted)(MAIL);
    } finally {
      setDefaultCACertificates(before);
    }
    expect([secure, received.length]).toEqual([[true], 1]);
  });

  test('sends to the one address, with a stable Message-ID', async () => {
    const { port, received } = await open();
    const send = smtpSender(settings(port));
    await send(MAIL);
    await send(MAIL);
    expect(received).toHaveLength(2);
    expect(received[0]).toEqual(received[1] && { ...received[1], headers: expect.any(Object) as object });
    expect(received[0]).toMatchObject({
      from: 'no-reply@skep.example',
      to: ['ada@example.org'],
      messageId: '<01ARZ3NDEKTSV4RRFFQ69G5FAV@skep.example>',
      subject: 'Grüße',
      text: MAIL.text,
    });
    expect(received[0]!.headers).toMatchObject({ 'auto-submitted': 'auto-generated' });
  });

  test('an address that holds more than an address reaches no other recipient', async () => {
    const { port, received } = await open();
    const send = smtpSender(settings(port, { from: 'a@skep.example' }));
    await send({ ...MAIL, to: ['ada@example.org, eve@example.org'] }).catch(() => undefined);
    await send({ ...MAIL, to: ['ada@example.org\r\nBcc: eve@example.org'] }).catch(() => undefined);
    expect(received.flatMap(({ to }) => to)).not.toContain('eve@example.org');
  });

  test('logs in where it is told to', async () => {
    const names: string[] = [];
    const { port, received } = await open({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) => {
        names.push(username!);
        if (password === 'right') done(null, { user: username });
        else done(Object.assign(new Error('no'), { responseCode: 535 }));
      },
    });
    await smtpSender(settings(port, { login: { user: 'skep', pass: 'right' } }))(MAIL);
    expect([names, received.length]).toEqual([['skep'], 1]);
    const failure = await failureOf(settings(port, { login: { user: 'skep', pass: 'wrong' } }));
    expect([failure.responseCode, isFinalFailure(failure)]).toEqual([535, false]);
  });

  test.each([
    [450, false],
    [451, false],
    [550, true],
    [554, true],
  ])('%d to the recipient or the message: final %s', async (status, final) => {
    const mail = await open();
    mail.refuseRecipients = status;
    expect(isFinalFailure(await failureOf(settings(mail.port)))).toBe(final);
    mail.refuseRecipients = null;
    mail.refuseMessages = status;
    expect(isFinalFailure(await failureOf(settings(mail.port)))).toBe(final);
  });

  test('a greeting of 554, a port without a server, and a server without TLS are not final', async () => {
    const mail = await open({
      onConnect: (_session, done) => done(Object.assign(new Error('no'), { responseCode: 554 })),
    });
    expect(isFinalFailure(await failureOf(settings(mail.port)))).toBe(false);
    const closed = mail.port;
    await mail.close();
    server = null;
    expect(isFinalFailure(await failureOf(settings(closed)))).toBe(false);
    const plain = await open();
    const failure = await failureOf(settings(plain.port, { starttls: true }));
    expect([failure.code, isFinalFailure(failure)]).toEqual(['ETLS', false]);
    expect(plain.received).toEqual([]);
  });

  test('a connection that is cut is not final', async () => {
    const cutter = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => cutter.listen(0, '127.0.0.1', resolve));
    const failure = await failureOf(settings((cutter.address() as AddressInfo).port));
    expect(isFinalFailure(failure)).toBe(false);
    await new Promise((resolve) => cutter.close(resolve));
  });
});
