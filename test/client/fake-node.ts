/** A node that answers from a list: what the client sends is kept, what it gets is written down by the test. */

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A status with its JSON body and headers, or a whole answer; an error stands for a connection that broke off. */
export type Told = readonly [status: number, body?: unknown, headers?: Record<string, string>] | Error | Response;

export interface FakeNode {
  readonly fetch: typeof fetch;
  readonly sent: Sent[];
}

/** `answer` is asked for each request, with the requests so far; the last is the present one. */
export function fakeNode(answer: (sent: Sent, all: readonly Sent[]) => Told | Promise<Told>): FakeNode {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (input, init = {}) => {
      const url = new URL(new Request(input).url);
      const body = typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : init.body;
      const one = {
        method: init.method ?? 'GET',
        path: url.pathname,
        query: url.searchParams,
        headers: new Headers(init.headers),
        body,
      };
      sent.push(one);
      const told = await Promise.race([answer(one, sent), ...aborted(init.signal)]);
      if (told instanceof Error) throw told;
      if (told instanceof Response) return told;
      const [status, json, headers = {}] = told;
      return new Response(json === undefined ? null : typeof json === 'string' ? json : JSON.stringify(json), {
        status,
        headers,
      });
    },
  };
}

/** Rejects once the client waits no longer; also for an answer that never comes. */
function aborted(signal: AbortSignal | null | undefined): readonly Promise<never>[] {
  if (!signal) return [];
  return [
    new Promise((_, reject) => {
      if (signal.aborted) reject(signal.reason as Error);
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    }),
  ];
}

/** The answers one after the other. */
export function inTurn(...told: readonly Told[]): FakeNode {
  return fakeNode((_, all) => told[all.length - 1] ?? new Error('the test has no more answers'));
}

export const HERE = { url: 'https://node.example.org/', position: 'acme:desk:dev:main' } as const;
/** No test waits for a back-off. */
export const FAST = { firstMs: 1, mostMs: 20 } as const;
