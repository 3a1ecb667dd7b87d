/** Frames on a link: what is whole comes out as it went in, and what is none ends the link. */

import { expect, test } from 'vitest';
import { REPLIES, REQUESTS, STREAM, type Flat } from '#actors/protocol/frame.ts';
import { FrameReader, LinkFault, checkStride, encodeFrame, textAt, wholeAt } from '#runtime/link/frames.ts';
import { fc } from '#test/kit/property.ts';

const MAX = 4096;

function readAll(bytes: Buffer, cuts: readonly number[]): Flat[] {
  const reader = new FrameReader(MAX);
  const frames: Flat[] = [];
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  for (let i = 1; i < at.length; i++) reader.push(bytes.subarray(at[i - 1], at[i]), (frame) => frames.push(frame));
  return frames;
}

const scalar = fc.oneof(
  fc.string({ unit: 'binary-ascii' }),
  fc.integer(),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Uint8Array.from(bytes)),
);
const frame = fc.tuple(fc.nat(20), fc.array(scalar, { maxLength: 8 })).map(([kind, rest]): Flat => [kind, ...rest]);

const plain = (frames: readonly Flat[]): unknown[] =>
  frames.map((one) => one.map((value) => (value instanceof Uint8Array ? [...value] : value)));

test('frames come out as they went in, wherever the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 5 }), fc.array(fc.nat()), (frames, cuts) => {
      const bytes = Buffer.concat(frames.map(encodeFrame));
      expect(plain(readAll(bytes, cuts))).toEqual(plain(frames));
    }),
    { numRuns: 200 },
  );
});

test('a frame that is cut short at any byte is not given, and not refused either: the rest may come', () => {
  const bytes = encodeFrame([STREAM, 3, 1, Buffer.alloc(100, 7)]);
  for (let length = 0; length < bytes.length; length++) expect(readAll(bytes.subarray(0, length), [])).toEqual([]);
});

test('a text of all 256 characters, as bodies travel, and bytes of their own buffer come back', () => {
  const text = Buffer.from(Array.from({ length: 256 }, (_, i) => i)).toString('latin1');
  const [read] = readAll(encodeFrame([REQUESTS, text, Buffer.from([1, 2])]), []);
  expect(read![1]).toBe(text);
  expect(Buffer.from(read![2] as Uint8Array)).toEqual(Buffer.from([1, 2]));
});

test('garbage is a fault: too long, no msgpack, no flat array, more than one value', () => {
  const of = (payload: Buffer): Buffer => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(payload.length);
    return Buffer.concat([head, payload]);
  };
  const garbage = [
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    encodeFrame([1, 'x'.repeat(MAX + 1)]),
    of(Buffer.from([0xc1])),
    of(Buffer.from([0x93, 1, 2])), // an array of three with two
    of(Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff, 1])), // an array of four thousand million
    of(Buffer.from([0x81, 1, 2])), // a map
    of(Buffer.from([0x91, 0xa1, 0x61])), // no kind
    of(Buffer.from([0x92, 1, 0x90])), // an array within
    of(Buffer.from([0x92, 1, 0xc0])), // null within
    of(Buffer.from([0x91, 1, 0x91, 1])), // two values
    of(Buffer.alloc(0)),
  ];
  for (const bytes of garbage) expect(() => readAll(bytes, []), bytes.toString('hex').slice(0, 20)).toThrow(LinkFault);
});

test('records that are cut, and fields of another kind, are faults', () => {
  expect(() => checkStride([REPLIES, 1, 200, ''], 4)).toThrow(LinkFault);
  expect(() => checkStride([REPLIES, 1, 200, '', 'x'], 4)).not.toThrow();
  for (const value of ['1', 1.5, -1, new Uint8Array(1)]) expect(() => wholeAt([REPLIES, value], 1)).toThrow(LinkFault);
  expect(() => wholeAt([REPLIES], 1)).toThrow(LinkFault);
  expect(() => textAt([REPLIES, 1], 1)).toThrow(LinkFault);
});
