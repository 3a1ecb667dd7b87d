import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { paserkPid, paserkPublic, rawPublicKey } from '#actors/kit/token/paserk.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';

/** Vectors of the PASERK specification: key, k4.public, k4.pid. */
const VECTORS = [
  ['00'.repeat(32), 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'S_XQmeEwHbbvRmiyfXfHYpLGjXGzjTRSDoT1YtTakWFE'],
  [
    '707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f',
    'cHFyc3R1dnd4eXp7fH1-f4CBgoOEhYaHiImKi4yNjo8',
    '9ShR3xc8-qVJ_di0tc9nx0IDIqbatdeM2mqLFBJsKRHs',
  ],
  [
    '707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e90',
    'cHFyc3R1dnd4eXp7fH1-f4CBgoOEhYaHiImKi4yNjpA',
    '-nyvbaTz8U6TQz7OZWW-iB3va31iAxIpUgzUcVQVmW9A',
  ],
] as const;

describe('PASERK ids', () => {
  test.each(VECTORS)('key %s', (hex, asPublic, pid) => {
    expect(paserkPublic(Buffer.from(hex, 'hex'))).toBe(`k4.public.${asPublic}`);
    expect(paserkPid(Buffer.from(hex, 'hex'))).toBe(`k4.pid.${pid}`);
  });

  test('keys of another size are refused', () => {
    expect(() => paserkPid(Buffer.alloc(31))).toThrow('32 bytes');
    expect(() => paserkPid(Buffer.alloc(48))).toThrow('32 bytes');
  });
});

describe('rings', () => {
  const clock = new SimulatedClock();
  const make = () => {
    clock.advance(1000);
    return newSigningKey({ clock, random: randomBytes });
  };

  test('the newest key signs, all verify, newest first', () => {
    const [first, second, third] = [make(), make(), make()];
    const ring = ringOf([second, third, first]);
    expect(ring.signing?.kid).toBe(third.kid);
    expect([...ring.verification.keys()]).toEqual([third.kid, second.kid, first.kid]);
    expect(paserkPid(rawPublicKey(ring.signing!.key))).toBe(third.kid);
    expect(ring.verification.get(first.kid)?.key.type).toBe('public');
  });

  test('an empty ring signs nothing', () => {
    expect(ringOf([]).signing).toBeNull();
  });

  test('the same seed gives the same key', () => {
    const source = { clock, random: (bytes: number) => Buffer.alloc(bytes, 7) };
    expect(newSigningKey(source).kid).toBe(newSigningKey(source).kid);
  });
});
