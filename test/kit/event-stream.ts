/** A stream of server-sent events that a test reads, and the events that it has told. */
import type { Headers } from './test-node.ts';

export interface StreamEvent {
  readonly id: string | null;
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

export interface EventStream {
  readonly status: number;
  readonly type: string | null;
  /** Whole events so far, without comments. */
  readonly events: StreamEvent[];
  /** The last `id` that the stream has told; null before the first. */
  readonly lastId: () => string | null;
  /** How many comment lines came: a stream on which nothing is told lives. */
  readonly comments: () => number;
  /** Whether it has ended, or broken off. */
  readonly isOver: () => boolean;
  /** Resolves then. */
  readonly over: Promise<void>;
  /** The caller leaves. */
  readonly leave: () => void;
}

/** Opens a stream and reads it until it ends; `lastId` goes along as Last-Event-ID, `heard` is called with each event. */
export async function openEvents(
  url: string,
  headers: Headers,
  lastId: string | null = null,
  heard: (event: StreamEvent) => void = () => undefined,
): Promise<EventStream> {
  const leaving = new AbortController();
  const sent = { ...headers, Accept: 'text/event-stream', ...(lastId !== null && { 'Last-Event-ID': lastId }) };
  const response = await fetch(url, { headers: sent, signal: leaving.signal });
  const events: StreamEvent[] = [];
  let known = lastId;
  let over = false;
  let comments = 0;
  const reading = (async () => {
    let rest = '';
    try {
      for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + piece).split('\n\n');
        rest = blocks.pop()!;
        for (const block of blocks) {
          const told = eventOf(block);
          known = told.id ?? known;
          if (block.startsWith(':')) comments++;
          if (told.event === '') continue;
          events.push(told);
          heard(told);
        }
      }
    } catch {
      // it broke off
    }
    over = true;
  })();
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    events,
    lastId: () => known,
    comments: () => comments,
    isOver: () => over,
    over: reading,
    leave: () => leaving.abort(),
  };
}

function eventOf(block: string): StreamEvent {
  const lines = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const data = lines.get('data');
  return {
    id: lines.get('id') ?? null,
    event: lines.get('event') ?? '',
    data: data === undefined ? null : JSON.parse(data),
  };
}
