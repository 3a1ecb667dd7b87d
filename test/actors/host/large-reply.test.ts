/** Large bodies in pieces: nothing of them is changed, whatever stands where one piece ends, and what is held is counted. */
import { describe, expect, test } from 'vitest';
import { heldPieces, isLarge, lengthOf } from '#actors/host/large-reply.ts';
import { ReplyPump } from '#actors/host/reply-pump.ts';
import { Unsent } from '#actors/kit/unsent.ts';
import { PIECE_BYTES, WINDOW_BYTES } from '#actors/protocol/stream.ts';
import { limits } from '#config/limits.ts';
import { fc } from '#test/kit/property.ts';

const never = (): void => undefined;

async function piecesOf(body: string | Uint8Array, held = new Unsent(Infinity)): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of heldPieces(body, held, never)) pieces.push(piece);
  return pieces;
}

describe('pieces', () => {
  test('of a text are its UTF-8, also where a character lies across the end of one', async () => {
    const character = fc.constantFrom('a', 'é', '漢', '😀', '\ud83d', '\udc00');
    const text = fc.tuple(
      fc.integer({ min: PIECE_BYTES / 2 - 3, max: PIECE_BYTES / 2 + 3 }),
      fc.array(character, { minLength: 1, maxLength: 9 }),
    );
    let across = 0;
    await fc.assert(
      fc.asyncProperty(text, async ([before, characters]) => {
        const body = 'x'.repeat(before) + characters.join('') + 'y'.repeat(PIECE_BYTES);
        if ((body.charCodeAt(PIECE_BYTES / 2 - 1) & 0xfc00) === 0xd800) across++;
        const pieces = await piecesOf(body);
        const whole = new TextEncoder().encode(body);
        expect(Buffer.concat(pieces).equals(whole)).toBe(true);
        expect(lengthOf(body)).toBe(whole.byteLength);
      }),
    );
    expect(across).toBeGreaterThan(0);
  });

  test('of bytes own their buffers, and the bytes stay as they were', async () => {
    const bytes = Buffer.alloc(3 * PIECE_BYTES + 5, 'abcdefg');
    const pieces = await piecesOf(bytes);
    expect(pieces.map(({ byteLength }) => byteLength)).toEqual([PIECE_BYTES, PIECE_BYTES, PIECE_BYTES, 5]);
    expect(pieces.every((piece) => piece.buffer.byteLength === piece.byteLength)).toBe(true);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  });
});

test('only large bodies go this way', () => {
  expect([isLarge(''), isLarge('x'.repeat(limits.host.pieceReplyMin - 1))]).toEqual([false, false]);
  expect([isLarge('x'.repeat(limits.host.pieceReplyMin)), isLarge(new Uint8Array(limits.host.pieceReplyMin))]).toEqual([
    true,
    true,
  ]);
});

test('an unread answer stays within the window, counts as held whole, and is given up when others need the room', async () => {
  const body = 'x'.repeat(8 * WINDOW_BYTES);
  const held = new Unsent(2.5 * body.length);
  const begin = (): { sent: () => number; ended: Promise<unknown> } => {
    const pump = new ReplyPump();
    let sent = 0;
    const pieces = heldPieces(body, held, () => pump.cut());
    const running = pump.run(
      pieces,
      () => null,
      (piece) => (sent += piece.byteLength),
    );
    return {
      sent: () => sent,
      ended: running.then(
        () => null,
        (error: unknown) => error,
      ),
    };
  };
  const first = begin();
  const second = begin();
  await new Promise((resolve) => setImmediate(resolve));
  expect([first.sent(), held.bytes]).toEqual([WINDOW_BYTES, 2 * body.length]);
  begin();
  expect(await first.ended).toMatchObject({ message: expect.stringContaining('given up') as string });
  await new Promise((resolve) => setImmediate(resolve));
  expect([second.sent(), held.bytes]).toEqual([WINDOW_BYTES, 2 * body.length]);
});
