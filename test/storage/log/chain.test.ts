import { createHash } from 'node:crypto';
import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import { eraseLine, GENESIS, openLine, sealLine } from '#storage/log/chain.ts';

const body = fc
  .dictionary(fc.string(), fc.oneof(fc.string({ unit: 'binary' }), fc.double({ noNaN: true }), fc.boolean()), {
    minKeys: 1,
  })
  .map((value) => JSON.stringify(value));
const prev = fc.stringMatching(/^[0-9a-f]{64}$/);

describe('a sealed line', () => {
  test('opens to what was sealed', () => {
    fc.assert(
      fc.property(body, prev, (text, before) => {
        const { line, hash } = sealLine(text, before);
        expect(openLine(Buffer.from(line))).toEqual({ body: text, prev: before, hash, erased: false });
        expect(line).not.toContain('\n');
      }),
    );
  });

  test('any byte changed, and any end cut off, shows', () => {
    fc.assert(
      fc.property(body, prev, fc.nat(), fc.integer({ min: 1, max: 255 }), (text, before, where, flip) => {
        const bytes = Buffer.from(sealLine(text, before).line);
        const at = where % bytes.length;
        expect(openLine(bytes.subarray(0, at))).toBeNull();
        bytes[at]! ^= flip;
        expect(openLine(bytes)).toBeNull();
      }),
    );
  });

  test('is plain JSON that anyone can check with SHA-256', () => {
    const { line, hash } = sealLine('{"id":"1"}', GENESIS);
    expect(JSON.parse(line)).toEqual({ id: '1', prev: GENESIS, hash });
    const head = line.slice(0, line.indexOf(',"hash":'));
    expect(createHash('sha256').update(head).digest('hex')).toBe(hash);
  });

  test('short and foreign lines are none', () => {
    for (const text of ['', '{}', '{"id":"1"}', 'x'.repeat(400)]) expect(openLine(Buffer.from(text))).toBeNull();
  });
});

describe('an erased line', () => {
  test('keeps its length, its hash and the hash before it, and nothing else', () => {
    const { line, hash } = sealLine('{"id":"1","name":"Ada Lovelace, of London"}', GENESIS);
    const erased = eraseLine(Buffer.from(line), '{"id":"1"}');
    expect(erased.length).toBe(line.length);
    expect(JSON.parse(erased.toString())).toEqual({ id: '1', erased: true, prev: GENESIS, hash });
    expect(openLine(erased)).toEqual({ body: '{"id":"1"}', prev: GENESIS, hash, erased: true });
  });

  test('is refused where it would be longer than the line', () => {
    const { line } = sealLine('{"id":"1"}', GENESIS);
    expect(() => eraseLine(Buffer.from(line), '{"id":"1"}')).toThrow(RangeError);
  });

  test('a line that says so of itself, and fits its hash, is none', () => {
    const body = '{"id":"1","erased":true}';
    expect(openLine(Buffer.from(sealLine(body, GENESIS).line))).toMatchObject({ body, erased: false });
  });
});
