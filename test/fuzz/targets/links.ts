/** What another node sends over a link: frames, what they hold, and words of hosts. A process that holds a certificate of the authority may send anything. */
import type { Flat } from '#actors/protocol/frame.ts';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must, unless } from './must.ts';

const SELF = { cluster: 'c0ffee', protocols: [2], release: '1.0.0', node: 'n1', life: 'life of n1' };

/** By the kind of a frame: what reads it, at either end of a link. */
type Readers = ReadonlyMap<number, readonly ((frame: Flat) => unknown)[]>;

async function readers(): Promise<Readers> {
  const frames = await import('#runtime/link/frames.ts');
  const { readHello, agreedIn } = await import('#runtime/link/hello.ts');
  const { checkReplies } = await import('#runtime/link/check-replies.ts');
  const { checkRequests } = await import('#runtime/link/check-requests.ts');
  const { readCarried } = await import('#runtime/link/carried.ts');
  const place = await import('#runtime/link/place-frames.ts');
  const referral = await import('#runtime/link/referral-frames.ts');
  const { REPLIES, REQUESTS, STREAM } = await import('#actors/protocol/frame.ts');
  const word = (frame: Flat): void =>
    new place.WordReader().push(frame, (message) => must(message !== place.WordReader, 'a word'));
  const batch = (frame: Flat): void => {
    place.placeIn(frame);
    const inner = place.batchIn(frame);
    if (inner[0] === REPLIES) checkReplies(inner);
    else checkRequests(inner);
  };
  const request = (frame: Flat): void => {
    checkRequests(frame);
    const carried = readCarried(String(frame[9] ?? ''));
    if (carried !== null) must(String(frame[9]).endsWith(carried.rest), 'further headers that were not sent');
  };
  return new Map<number, readonly ((frame: Flat) => unknown)[]>([
    [frames.HELLO, [(frame) => agreedIn(readHello(frame, SELF), SELF, false)]],
    [frames.MOVED, [(frame) => frames.textAt(frame, 1)]],
    [REPLIES, [checkReplies]],
    [REQUESTS, [request]],
    [STREAM, [checkReplies, checkRequests]],
    [place.PLACE_WORD, [place.placeIn, word]],
    [place.PLACE_BATCH, [batch]],
    [place.PLACE_TIME, [(frame) => place.timeIn(frame, 0)]],
    [referral.REFERRED, [referral.readReferral]],
    [referral.COUNTED, [(frame) => referral.readCounts(frame, (no, count) => must(no > 0 && count > 0, 'a count'))]],
  ]);
}

export async function linkTarget(): Promise<Target> {
  const { FrameReader, LinkFault, encodeFrame } = await import('#runtime/link/frames.ts');
  const { helloFrame } = await import('#runtime/link/hello.ts');
  const { PLACE_BATCH, PLACE_TIME, wordFrames } = await import('#runtime/link/place-frames.ts');
  const { countFrames, referralFrame } = await import('#runtime/link/referral-frames.ts');
  const { REPLIES, REQUESTS, STREAM } = await import('#actors/protocol/frame.ts');
  const byKind = await readers();
  const isFault = (error: unknown): boolean => error instanceof LinkFault;
  const at = { id: 'life of n2', node: 'n2', link: '10.0.0.2:7400', place: 1, start: 5 };
  const request = [
    7,
    1,
    0,
    0,
    'id',
    'q=1',
    'Bearer t',
    'r',
    ':from:10.1.2.3\n:at:a:b:c:d\n:\nx:1\n',
    new Uint8Array(40),
  ];
  const frames: Flat[] = [
    helloFrame({ ...SELF, node: 'n2', life: 'life of n2' }, SELF.life, ['data.list', 'data.read'], {
      purpose: 'doors',
    }),
    [REQUESTS, ...request],
    [REPLIES, 7, 200, '', '{"a":1}', 8, 404, 'Retry-After: 1\n', new Uint8Array(30)],
    [STREAM, 7, 1, new Uint8Array(20), 7, 2, 0],
    [PLACE_BATCH, 1, REPLIES, 7, 200, '', 'x'],
    [PLACE_TIME, 1000],
    ...wordFrames(1, {
      kind: 3,
      version: 2,
      topic: 'host.open',
      id: 9,
      part: 'ask',
      body: new Map([['a', [1n, new Date(0)]]]),
    }),
    referralFrame({ ...at, key: 'a:b:c:d', no: 7, shard: 3 }),
    ...countFrames(new Map([[7, 3]])),
  ];
  return {
    name: 'link',
    form: 'bytes',
    covers: ['/runtime/link/'],
    seeds: frames.map((frame) => encodeFrame(frame)),
    words: ['\x00\x00\x00', '\xdc\xff\xff', '\xff\x0f', ':at:', ':from:', '"protocols":[', 'a:b:c:d', '\xcb', '\xd3'],
    bytesMax: 16_384,
    stepsMax: linear(4000, 40),
    run: (input) => {
      const reader = new FrameReader(65_536);
      unless(isFault, () =>
        reader.push(input, (frame) => {
          for (const read of byKind.get(Number(frame[0])) ?? []) unless(isFault, () => read(frame));
        }),
      );
    },
  };
}
