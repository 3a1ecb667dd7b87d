/** The messages of `/data/live` (docs/contract/changes.md §7), whose subscriptions are streams of `GET /data/changes`. */
import { close, say } from './dialect.ts';
import type { Asked, Broken, Dialect, Told } from './dialect.ts';
import { messagesOf, parseMessage, queryOf, refusedMessage } from './live-message.ts';

const FIELDS = new Map([
  ['accept', 'text/event-stream'],
  ['last-event-id', ''],
]);

export class LiveDialect implements Dialect {
  readonly path: string;
  readonly held = 0;

  /** `path`: that of the feed. */
  constructor(path: string) {
    this.path = path;
  }

  asked(text: string): Asked {
    const message = parseMessage(text);
    switch (message.type) {
      case 'fault':
        return close('malformed', message.fault);
      case 'auth':
        return say([], `Bearer ${message.token}`);
      case 'subscribe': {
        const request = { method: 'GET', query: queryOf(message), body: '', fields: FIELDS } as const;
        return { type: 'subscribe', id: message.id, request };
      }
      case 'unsubscribe':
        return message;
      case 'ping':
        return say(['{"type":"pong"}']);
    }
  }

  begun(id: string): readonly string[] {
    return [`{"id":${JSON.stringify(id)},"type":"subscribed"}`];
  }

  events(id: string, { buffer, byteOffset, byteLength }: Uint8Array): Told {
    const texts = messagesOf(id, Buffer.from(buffer, byteOffset, byteLength).toString());
    const unproven = texts.at(-1)?.endsWith('"type":"end","reason":"session"}') === true;
    return { texts, ends: false, unproven };
  }

  answered(id: string, status: number, headers: string, body: string): Told {
    return { texts: [refusedMessage(id, status, headers, body)], ends: true, unproven: status === 401 };
  }

  left(id: string): readonly string[] {
    return [`{"id":${JSON.stringify(id)},"type":"unsubscribed"}`];
  }

  over(id: string, broken: boolean): Broken {
    return { texts: broken ? [`{"id":${JSON.stringify(id)},"type":"end","reason":"fault"}`] : [], closes: null };
  }
}
