import { expect, test } from 'vitest';
import { defineRefusals, isRefusal, refusalBody, refusalType, refuserOf } from '#actors/protocol/refusal.ts';

const table = defineRefusals({
  coded: { statuses: [422, 403], family: 'coded', cause: 'why' },
  rate: { statuses: [429], family: 'rate', cause: 'too often' },
  plain: { statuses: [401], family: 'plain', cause: 'Unauthorized' },
  bare: { statuses: [404], family: 'bare', cause: 'nothing here' },
});
const refuse = refuserOf(table);

test('the first status is the default, a listed one may be chosen, another is a programming error', () => {
  expect(refuse('coded').status).toBe(422);
  expect(refuse('coded', { status: 403 }).status).toBe(403);
  expect(() => refuse('coded', { status: 500 as never })).toThrow('does not declare status 500');
  expect(() => refuse('nothing' as never)).toThrow('not declared');
});

test('bodies by family', () => {
  expect(refusalBody(refuse('coded'))).toBe('{"error":"why","code":"coded"}');
  expect(refusalBody(refuse('coded', { message: 'so', details: { a: 1 } }))).toBe(
    '{"error":"so","code":"coded","details":{"a":1}}',
  );
  expect(refusalBody(refuse('rate', { details: { profile: 'p', retry_after_seconds: 2 } }))).toBe(
    '{"error":"rate","profile":"p","retry_after_seconds":2}',
  );
  expect(refusalBody(refuse('plain'))).toBe('Unauthorized');
  expect(refusalBody(refuse('bare'))).toBe('');
  expect(refusalType('plain')).toBe('text/plain; charset=utf-8');
  expect(refusalType('coded')).toBe('application/json; charset=utf-8');
});

test('a refusal is distinguished from everything else', () => {
  expect(isRefusal(refuse('bare'))).toBe(true);
  for (const value of [null, undefined, 'refusal', {}, { kind: 'reply' }]) expect(isRefusal(value)).toBe(false);
});
