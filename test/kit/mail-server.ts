/** A real SMTP server on loopback that keeps what it is sent, and fails as a test says. */
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

export class MailServer {
  readonly received: Received[] = [];
  /** Messages that it read and did not take. */
  readonly refused: Received[] = [];
  /** SMTP status that the next recipients get; null takes them. */
  refuseRecipients: number | null = null;
  /** SMTP status that the message itself gets. */
  refuseMessages: number | null = null;
  recipients = 0;
  readonly #server: SMTPServer;
  #port = 0;
  #waiting: (() => void)[] = [];

  constructor(options: SMTPServerOptions = {}) {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      hideSTARTTLS: true,
      logger: false,
      disableReverseLookup: true,
      ...options,
      onRcptTo: (_address, _session, done) => {
        this.recipients++;
        this.#wake();
        done(failure(this.refuseRecipients));
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const into = this.refuseMessages === null ? this.received : this.refused;
          void this.#take(into, Buffer.concat(chunks), session.envelope.rcptTo, done);
        });
      },
    });
    this.#server.on('error', () => undefined);
  }

  get port(): number {
    return this.#port;
  }

  listen(port = 0): Promise<void> {
    return new Promise((resolve) => {
      this.#server.listen(port, '127.0.0.1', () => {
        this.#port = (this.#server.server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /** Resolves once `seen` holds; asked whenever the server hears something. */
  async until(seen: () => boolean): Promise<void> {
    while (!seen()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async #take(
    into: Received[],
    raw: Buffer,
    to: readonly { readonly address: string }[],
    done: (error?: Error | null) => void,
  ): Promise<void> {
    await this.#keep(into, raw, to);
    done(failure(this.refuseMessages));
  }

  async #keep(into: Received[], raw: Buffer, to: readonly { readonly address: string }[]): Promise<void> {
    const parsed = await PostalMime.parse(raw);
    into.push({
      from: parsed.from?.address ?? '',
      to: to.map(({ address }) => address),
      messageId: parsed.messageId ?? '',
      subject: parsed.subject ?? '',
      text: parsed.text ?? '',
      html: parsed.html ?? '',
      headers: Object.fromEntries(parsed.headers.map(({ key, value }) => [key, value])),
    });
    this.#wake();
  }

  #wake(): void {
    for (const run of this.#waiting.splice(0)) run();
  }
}

function failure(status: number | null): Error | null {
  return status === null ? null : Object.assign(new Error('no'), { responseCode: status });
}
