/** Words between main and a host that another node carries, in pieces. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { FrameReader, LinkFault, encodeFrame } from '#runtime/link/frames.ts';
import { PLACE_BATCH, PLACE_WORD, WordReader, batchIn, placeIn, wordFrames } from '#runtime/link/place-frames.ts';
import type { Flat } from '#actors/protocol/frame.ts';

const { frameBytesMax, wordPieceBytes } = limits.cluster.link;

/** As they come at the other end. */
function sent(frames: readonly Flat[]): Flat[] {
  const reader = new FrameReader(frameBytesMax);
  const got: Flat[] = [];
  for (const frame of frames) reader.push(encodeFrame(frame), (one) => void got.push(one));
  return got;
}

function read(frames: readonly Flat[]): unknown[] {
  const words: unknown[] = [];
  const reader = new WordReader();
  for (const frame of frames) reader.push(frame, (word) => void words.push(word));
  return words;
}

test('a word comes as it was, whatever it holds, and a long one in pieces', () => {
  const words = [
    null,
    { kind: 3, topic: 'host.open', body: { tenants: [{ no: 1, reason: undefined }], at: new Date(5) } },
    { map: new Map([[1, new Set(['a'])]]), big: 2n ** 70n, bytes: new Uint8Array([0, 255]) },
    { text: 'ä€😀'.repeat(wordPieceBytes) },
  ];
  const frames = words.map((word) => wordFrames(7, word));
  expect(frames[3]!.length).toBeGreaterThan(2);
  expect(read(sent(frames.flat()))).toEqual(words);
  expect(frames.flat().every((frame) => frame[0] === PLACE_WORD && placeIn(frame) === 7)).toBe(true);
});

test('a batch keeps what stands in it', () => {
  const [frame] = sent([[PLACE_BATCH, 3, 2, 5, 200, '', 'body']]);
  expect([placeIn(frame!), batchIn(frame!)]).toEqual([3, [2, 5, 200, '', 'body']]);
});

test.each<[string, Flat]>([
  ['a piece that is text', [PLACE_WORD, 1, 1, 'x']],
  ['bytes that are no word', [PLACE_WORD, 1, 1, new Uint8Array([1, 2, 3])]],
])('%s ends the link', (_what, frame) => {
  expect(() => read([frame])).toThrow(LinkFault);
});

test('a place is one that there may be', () => {
  for (const place of [-1, 1.5, 'x', limits.cluster.placesMax])
    expect(() => placeIn([PLACE_BATCH, place])).toThrow(LinkFault);
});
