/** The answer of a service of the same tenant. */
import type { Body } from '#actors/protocol/frame.ts';
import type { ReplyStream } from '#actors/protocol/body.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

export class InsideAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A body that comes in pieces: read it to its end, or return its iterator. Null where the body is here. */
  readonly stream: ReplyStream | null;
  readonly #body: Body;
  /** The body as text, once it was asked for. */
  #text: string | null = null;

  constructor(
    status: number,
    headers: Readonly<Record<string, string>>,
    body: Body,
    stream: ReplyStream | null = null,
  ) {
    this.status = status;
    this.headers = headers;
    this.stream = stream;
    this.#body = body;
  }

  /** An answer of the routing, not of a service: no such path, no such verb, too large. */
  static bare(status: number): InsideAnswer {
    return new InsideAnswer(status, {}, '');
  }

  /** From the head as `render.ts` writes it. */
  static rendered(status: number, lines: string, body: Body): InsideAnswer {
    return new InsideAnswer(status, lines === '' ? { 'Content-Type': JSON_TYPE } : headersOf(lines), body);
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** Length of a body that does not come in pieces: UTF-16 units of a text, or bytes. */
  get length(): number {
    return this.#body.length;
  }

  /** The body as text; empty where it comes in pieces. */
  get text(): string {
    if (typeof this.#body === 'string') return this.#body;
    return (this.#text ??= Buffer.from(this.#body.buffer, this.#body.byteOffset, this.#body.byteLength).toString(
      'utf8',
    ));
  }

  /** The body as JSON; undefined when it is not JSON. */
  json(): unknown {
    try {
      return JSON.parse(this.text) as unknown;
    } catch {
      return undefined;
    }
  }
}

function headersOf(lines: string): Record<string, string> {
  const pairs = lines.split('\n').filter((line) => line !== '');
  return Object.fromEntries(pairs.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
}
