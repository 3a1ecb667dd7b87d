/** Server-sent events out of the body of an answer (WHATWG HTML, Server-sent events). Only whole events are given. */

export interface StreamEvent {
  /** Null where the event has none. */
  readonly id: string | null;
  /** Empty of a comment, and of lines that only say an id or a wait. */
  readonly event: string;
  readonly data: string;
  /** How long to wait before the stream is opened again, in milliseconds; null where the event does not say. */
  readonly retryMs: number | null;
}

/**
 * Ends with the stream. Throws when it breaks off, and after `idleMs` without a byte: a connection whose other end is gone says nothing. The connection
 * is closed once the caller leaves.
 */
export async function* eventsIn(body: ReadableStream<Uint8Array>, idleMs: number): AsyncGenerator<StreamEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await within(reader.read(), idleMs);
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
      rest = blocks.pop()!;
      for (const block of blocks) yield eventOf(block);
    }
  } finally {
    // The other end may be gone for long: nothing waits for it.
    void reader.cancel().catch(() => undefined);
  }
}

function eventOf(block: string): StreamEvent {
  const fields = new Map<string, string>();
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const at = line.indexOf(':');
    const name = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else fields.set(name, value);
  }
  const retry = fields.get('retry');
  return {
    id: fields.get('id') ?? null,
    event: fields.get('event') ?? '',
    data: data.join('\n'),
    retryMs: retry === undefined ? null : Number(retry),
  };
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came for ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
