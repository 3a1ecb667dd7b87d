/** Spans of what leaves later from an outbox: linked to the request, with their result, and nothing personal. Spec: docs/operate/traces.md. */
import { expect, test } from 'vitest';
import { attempted, positionOf } from '#actors/courier/traces/attempt-span.ts';
import type { Span } from '#actors/kit/trace/span.ts';
import { Spans } from '#actors/kit/trace/spans.ts';

const TRACE = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;

function world() {
  const got: Span[] = [];
  let now = 100;
  let hand: () => void = () => undefined;
  const spans = new Spans({
    now: () => now++,
    random: (bytes) => Buffer.alloc(bytes, 5),
    handOver: (text) => void got.push(...(JSON.parse(text) as Span[])),
    after: (_ms, run) => void (hand = run),
  });
  const what = (trace: string | undefined = TRACE) => ({ trace, name: 'mail', attributes: positionOf('a:b:c:d') });
  return { spans, got, what, hand: () => hand() };
}

test('a mail that is taken, and one that is refused: a trace of its own, a link, an error without the text', async () => {
  const { spans, got, what, hand } = world();
  await attempted(spans, what(), () => Promise.resolve());
  const refusal = Object.assign(new Error('550 no such user ada@example.org'), {
    responseCode: 550,
    code: 'EENVELOPE',
  });
  await expect(attempted(spans, what(), () => Promise.reject(refusal))).rejects.toBe(refusal);
  await expect(attempted(spans, what(), () => Promise.reject(new Error('ada')))).rejects.toThrow('ada');
  hand();
  expect(got.map(({ error }) => error)).toEqual([null, '550', 'no_answer']);
  for (const span of got) {
    expect(span).toMatchObject({ name: 'mail', parentId: '', link: ['ab'.repeat(16), 'cd'.repeat(8)] });
    expect(span.traceId).not.toBe('ab'.repeat(16));
    expect(span.attributes).toContainEqual(['skep.tenant', 'd']);
  }
  expect(JSON.stringify(got)).not.toContain('ada');
});

test('what was not traced, or whose trace is no traceparent, makes no span and is sent', async () => {
  const { spans, got, what, hand } = world();
  let sent = 0;
  const send = async (): Promise<void> => void sent++;
  await attempted(spans, { ...what(), trace: undefined }, send);
  await attempted(null, what(), send);
  await attempted(spans, what('nonsense'), send);
  hand();
  expect([sent, got]).toEqual([3, []]);
});
