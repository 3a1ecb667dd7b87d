/** One origin as a tenant sees it: breaker, bulkhead, tries, deadline, and how each failure is called. Judged by state, not by clocks. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Origin, type OutsideCall } from '#actors/bff/outside/origin.ts';
import type { OutsideAnswer } from '#actors/bff/outside/pools.ts';
import { OutboundFault } from '#actors/kit/outbound/fault.ts';

const CALL: OutsideCall = {
  origin: 'https://api.example.org',
  method: 'GET',
  target: '/x',
  headers: {},
  body: null,
  timeoutMs: 60_000,
  retries: 0,
  declared: {},
};
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

class Upstream {
  asked = 0;
  readonly waiting: ((answer: OutsideAnswer) => void)[] = [];
  answer: () => Promise<OutsideAnswer> = () => Promise.resolve({ status: 200, text: '{"a":1}' });
  readonly origin = new Origin({ exchange: (_request, signal) => this.#exchange(signal) }, log);

  call(wish: Partial<OutsideCall> = {}) {
    return this.origin.call({ ...CALL, ...wish });
  }

  hang(): void {
    this.answer = () => new Promise((resolve) => this.waiting.push(resolve));
  }

  #exchange(signal: AbortSignal): Promise<OutsideAnswer> {
    this.asked++;
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
    return Promise.race([this.answer(), stopped]);
  }
}

const failing = (why: OutboundFault['why']) => () => Promise.reject(new OutboundFault(why, 'no'));
const saying =
  (status: number, text = '') =>
  () =>
    Promise.resolve({ status, text });

test('each failure has its name', async () => {
  const upstream = new Upstream();
  expect(await upstream.call()).toEqual({ ok: true, value: { a: 1 }, chars: 7 });
  const cases = [
    [saying(204), { ok: true, value: null, chars: 0 }],
    [saying(404), { ok: false, reason: 'status', status: 404 }],
    [saying(302), { ok: false, reason: 'status', status: 302 }],
    [saying(200, '<html>'), { ok: false, reason: 'schema' }],
    [saying(200, '{"a":1,"a":2}'), { ok: false, reason: 'schema' }],
    [saying(200, '{"__proto__":{}}'), { ok: false, reason: 'schema' }],
    [saying(200, '['.repeat(100_000)), { ok: false, reason: 'schema' }],
    [failing('too_large'), { ok: false, reason: 'schema' }],
    [failing('forbidden'), { ok: false, reason: 'refused' }],
    [failing('failed'), { ok: false, reason: 'refused' }],
  ] as const;
  for (const [answer, end] of cases) {
    upstream.answer = answer;
    expect(await upstream.call()).toEqual(end);
  }
});

test('an origin that goes on failing is left alone; what it refuses on purpose does not count', async () => {
  const upstream = new Upstream();
  upstream.answer = saying(400);
  for (let i = 0; i < 2 * limits.bff.breakerFailures; i++) await upstream.call();
  upstream.answer = failing('unreachable');
  for (let i = 0; i < limits.bff.breakerFailures; i++)
    expect(await upstream.call()).toEqual({ ok: false, reason: 'refused' });
  const { asked } = upstream;
  for (const declared of [CALL.declared, {}])
    expect(await upstream.call({ declared })).toEqual({ ok: false, reason: 'circuit_open' });
  expect(upstream.asked).toBe(asked);
});

test('a call that goes on failing is left alone, and no other call of its origin', async () => {
  for (const [answer, end] of [
    [saying(503), { ok: false, reason: 'status', status: 503 }],
    [failing('failed'), { ok: false, reason: 'refused' }],
  ] as const) {
    const upstream = new Upstream();
    upstream.answer = answer;
    for (let i = 0; i < limits.bff.breakerFailures; i++) expect(await upstream.call()).toEqual(end);
    expect(await upstream.call()).toEqual({ ok: false, reason: 'circuit_open' });
    upstream.answer = saying(200, '1');
    expect(await upstream.call()).toEqual({ ok: false, reason: 'circuit_open' });
    expect(await upstream.call({ declared: {} })).toEqual({ ok: true, value: 1, chars: 1 });
  }
});

test('an input that a caller can make fail opens nothing: an upstream that answers 500 lives', async () => {
  const upstream = new Upstream();
  upstream.answer = saying(500);
  for (let i = 0; i < 3 * limits.bff.breakerFailures; i++)
    expect(await upstream.call()).toEqual({ ok: false, reason: 'status', status: 500 });
});

test('a hanging origin holds so many calls, queues so many, and refuses the rest at once', async () => {
  const upstream = new Upstream();
  upstream.hang();
  const { originCallsMax, originWaitingMax } = limits.bff;
  const held = Array.from({ length: originCallsMax + originWaitingMax }, () => upstream.call());
  expect(await upstream.call()).toEqual({ ok: false, reason: 'refused' });
  expect(upstream.asked).toBe(originCallsMax);
  upstream.answer = saying(200, '1');
  for (const answer of upstream.waiting) answer({ status: 200, text: '1' });
  for (const end of await Promise.all(held)) expect(end).toEqual({ ok: true, value: 1, chars: 1 });
});

test('the deadline ends a call with all its tries, and counts against the call', async () => {
  const upstream = new Upstream();
  upstream.hang();
  for (let i = 0; i < limits.bff.breakerFailures; i++)
    expect(await upstream.call({ timeoutMs: 5, retries: 3 })).toEqual({ ok: false, reason: 'timeout' });
  expect(upstream.asked).toBe(limits.bff.breakerFailures);
  await new Promise((resolve) => void setImmediate(resolve)); // the stopped exchange is told of
  expect(await upstream.call()).toEqual({ ok: false, reason: 'circuit_open' });
  upstream.answer = saying(200, '1');
  expect(await upstream.call({ declared: {} })).toEqual({ ok: true, value: 1, chars: 1 });
});

test('only what passes is tried again', async () => {
  for (const [answer, asked] of [
    [saying(503), 3],
    [failing('failed'), 3],
    [saying(500), 1],
    [saying(404), 1],
    [saying(200, 'x'), 1],
  ] as const) {
    const upstream = new Upstream();
    upstream.answer = answer;
    await upstream.call({ retries: 2 });
    expect(upstream.asked).toBe(asked);
  }
});
