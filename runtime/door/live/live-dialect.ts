/**
 * The messages of `/data/live` (docs/contract/changes.md §7, docs/contract/channels.md §7): its subscriptions are streams of `GET /data/changes`, and what they ask of channels are
 * requests of `/data/channels/…`.
 */
import { close, say, type Asked, type Broken, type Dialect, type Told } from './dialect.ts';
import { channelAskOf, messagesOf, parseMessage, queryOf, refusedMessage } from './live-message.ts';

const FIELDS = new Map([
  ['accept', 'text/event-stream'],
  ['last-event-id', ''],
]);
const SAYING = new Map([['content-type', 'application/json']]);

export class LiveDialect implements Dialect {
  readonly protocol = 'live';
  readonly held = 0;
  readonly #feed: string;
  /** Ids under which channels are joined. */
  readonly #joined = new Set<string>();

  /** `feed`: its path on this listener. */
  constructor(feed: string) {
    this.#feed = feed;
  }

  asked(text: string): Asked {
    const message = parseMessage(text);
    switch (message.type) {
      case 'fault':
        return close('malformed', message.fault);
      case 'auth':
        return say([], `Bearer ${message.token}`);
      case 'subscribe': {
        const { id } = message;
        const request = { method: 'GET', path: this.#feed, query: queryOf(message), body: '', fields: FIELDS } as const;
        return { type: 'subscribe', id, request };
      }
      case 'join':
      case 'send':
      case 'state': {
        const { type, id } = message;
        if (type === 'join') this.#joined.add(id);
        const fields = type === 'join' ? FIELDS : SAYING;
        return { type: 'subscribe', id, request: { ...channelAskOf(message, this.#feed), fields } };
      }
      case 'unsubscribe':
      case 'leave':
        return { type: 'unsubscribe', id: message.id };
      case 'ping':
        return say(['{"type":"pong"}']);
    }
  }

  begun(id: string): readonly string[] {
    // A channel tells itself that it was joined.
    if (this.#joined.has(id)) return [];
    return [`{"id":${JSON.stringify(id)},"type":"subscribed"}`];
  }

  events(id: string, { buffer, byteOffset, byteLength }: Uint8Array): Told {
    const texts = messagesOf(id, Buffer.from(buffer, byteOffset, byteLength).toString());
    const unproven = texts.at(-1)?.endsWith('"type":"end","reason":"session"}') === true;
    return { texts, ends: false, unproven };
  }

  answered(id: string, status: number, headers: string, body: string): Told {
    this.#joined.delete(id);
    const text =
      status < 300 ? `{"id":${JSON.stringify(id)},"type":"sent"}` : refusedMessage(id, status, headers, body);
    return { texts: [text], ends: true, unproven: status === 401 };
  }

  left(id: string): readonly string[] {
    const type = this.#joined.delete(id) ? 'left' : 'unsubscribed';
    return [`{"id":${JSON.stringify(id)},"type":"${type}"}`];
  }

  over(id: string, broken: boolean): Broken {
    this.#joined.delete(id);
    return { texts: broken ? [`{"id":${JSON.stringify(id)},"type":"end","reason":"fault"}`] : [], closes: null };
  }
}
