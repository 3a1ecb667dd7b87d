/** Lines out of the body of an answer. */
import { asError } from './transport.ts';

/** Every line that is not empty. Throws `client.network` where the body breaks off. The connection is closed once the caller leaves. */
export async function* linesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((thrown: unknown) => Promise.reject(asError(thrown)));
      const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) if (line !== '') yield line;
      if (done) break;
    }
    if (rest !== '') yield rest;
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
