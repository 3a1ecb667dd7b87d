/** Compressed answers over both servers of the door, as raw connections see them: docs/contract/platform.md §3.9. */
import * as zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { WINDOW_BYTES } from '#actors/protocol/stream.ts';
import { limits } from '#config/limits.ts';
import { codingOf } from '#runtime/door/compress/coding.ts';
import { CompressingVisit } from '#runtime/door/compress/compressing-visit.ts';
import { Compressor } from '#runtime/door/compress/compressor.ts';
import type { AnswerSink, Visit, VisitHandler } from '#runtime/door/port.ts';
import { fc } from '#test/kit/property.ts';
import { aborted, HOST, Stage } from '../stage.ts';

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: (bytes) => zlib.brotliDecompressSync(bytes),
  gzip: (bytes) => zlib.gunzipSync(bytes),
  zstd: (bytes) => zlib.zstdDecompressSync(bytes),
};
const LINES = 'Content-Type: text/plain; charset=utf-8\nX-More: é'.replace('é', 'e') + '\n';
const textOf = (bytes: number): string => 'A text with an ä that gains by compression. '.repeat(bytes).slice(0, bytes);

/** Compresses by `Accept-Encoding`; what it answers is up to the test. */
const around =
  (compressor: Compressor, answer: (visit: Visit) => void): VisitHandler =>
  (visit) =>
    answer(new CompressingVisit(visit, codingOf(visit.headers('accept-encoding')), compressor));

describe.each(['uws', 'node'] as const)('on the %s door', (kind) => {
  const ask = async (stage: Stage, accepted: string, method = 'GET') => {
    const wire = await stage.wire();
    wire.send(`${method} / HTTP/1.1\r\n${HOST}Accept-Encoding: ${accepted}\r\n\r\n`);
    const answer = (await wire.answer(method))!;
    const isChunked = method !== 'HEAD' && answer.headers['transfer-encoding'] === 'chunked';
    return isChunked ? { ...answer, body: (await wire.chunks())! } : answer;
  };

  describe.each(['br', 'gzip', 'zstd'])('%s', (coding) => {
    test.each([
      ['short', limits.door.compressedBytesMin],
      ['at the bound of the door itself', limits.door.compressAtOnceBytesMax - 10],
      ['long', 200_000],
    ])('a %s answer is whole', async (_what, bytes) => {
      const text = textOf(bytes);
      const stage = await Stage.open(
        kind,
        around(new Compressor(), (visit) => visit.answer(200, LINES, text)),
      );
      const { status, headers, body } = await ask(stage, coding);
      expect([status, headers['content-encoding'], headers['vary']]).toEqual([200, coding, 'Accept-Encoding']);
      expect(Number(headers['content-length'])).toBe(body.length);
      expect(body.length).toBeLessThan(bytes / 4);
      expect(DECODERS[coding]!(body).toString()).toBe(text);
      const head = await ask(stage, coding, 'HEAD');
      expect([head.status, head.headers['content-encoding'], head.headers['content-length']]).toEqual([
        200,
        coding,
        String(body.length),
      ]);
    });

    test('an answer in pieces is whole, with any pieces (counted)', async () => {
      let pieces: Buffer[] = [];
      const stage = await Stage.open(
        kind,
        around(new Compressor(), (visit) => inPieces(visit, pieces)),
      );
      let reached = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(40_000), { maxLength: 12 }), fc.boolean(), async (sizes, isNoise) => {
          pieces = sizes.map((size, i) =>
            isNoise ? noise(size, i) : Buffer.from(textOf(size).padEnd(1), 'latin1').subarray(0, size),
          );
          const wanted = Buffer.concat(pieces);
          const { headers, body } = await ask(stage, coding);
          expect([headers['content-encoding'], headers['content-length']]).toEqual([coding, undefined]);
          expect(DECODERS[coding]!(body).equals(wanted)).toBe(true);
          reached += wanted.length;
        }),
        { numRuns: 40 },
      );
      expect(reached).toBeGreaterThan(1_000_000);
    });
  });

  test('a caller that takes none of the codings gets the answer plain, and the word that it varies', async () => {
    const text = textOf(5000);
    const stage = await Stage.open(
      kind,
      around(new Compressor(), (visit) => visit.answer(200, LINES, text)),
    );
    const { headers, body } = await ask(stage, 'identity');
    expect([headers['content-encoding'], headers['vary'], body.toString()]).toEqual([
      undefined,
      'Accept-Encoding',
      Buffer.from(text).toString(),
    ]);
  });

  test.each([
    ['short', 200, LINES, textOf(limits.door.compressedBytesMin - 100)],
    ['strongly tagged', 200, `${LINES}ETag: "5"\n`, textOf(5000)],
    ['partial', 206, LINES, textOf(5000)],
    ['coded already', 200, `${LINES}Content-Encoding: gzip\n`, textOf(5000)],
  ])('an answer that is %s is not touched', async (_what, status, lines, text) => {
    const stage = await Stage.open(
      kind,
      around(new Compressor(), (visit) => visit.answer(status, lines, text)),
    );
    const { headers, body } = await ask(stage, 'gzip, br, zstd');
    expect([headers['vary'], body.toString()]).toEqual([undefined, text]);
  });

  test('beyond the bound of bytes that wait answers leave plain', async () => {
    const compressor = new Compressor();
    const text = textOf(100_000);
    const stage = await Stage.open(
      kind,
      around(compressor, (visit) => visit.answer(200, LINES, text)),
    );
    let overs: (() => void)[] = [];
    for (let i = 0; i < limits.door.compressingMax; i++) compressor.turn((over) => overs.push(over));
    const full = Buffer.alloc(limits.door.compressingBytesMax);
    const drained = new Promise((resolve) => expect(compressor.later('zstd', full, resolve)).toBe(true));
    const plain = await ask(stage, 'gzip');
    expect([plain.headers['content-encoding'], plain.headers['vary']]).toEqual([undefined, 'Accept-Encoding']);
    expect(plain.body.toString()).toBe(text);
    for (const over of overs) over();
    overs = [];
    await drained;
    expect((await ask(stage, 'gzip')).headers['content-encoding']).toBe('gzip');
  });

  test('an answer to a chunked request leaves with its length, since its connection must close', async () => {
    const stage = await Stage.open(
      kind,
      around(new Compressor(), (visit) =>
        visit.readBody(
          100,
          () => inPieces(visit, [Buffer.from(textOf(9000))], true),
          () => undefined,
        ),
      ),
    );
    const wire = await stage.wire();
    wire.send(
      `POST / HTTP/1.1\r\n${HOST}Accept-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
    );
    const { status, headers, body } = (await wire.answer())!;
    expect([status, headers['content-encoding'], body.toString()]).toEqual([
      200,
      undefined,
      Buffer.from(textOf(9000)).toString(),
    ]);
  });

  test('an answer that its thread cannot finish cuts the connection, and its stream is given back', async () => {
    const compressor = new Compressor();
    const stage = await Stage.open(
      kind,
      around(compressor, (visit) => {
        visit.beginAnswer(200, LINES, -1, nothing(), 'id');
        visit.answerPiece(noise(5000, 1));
        setTimeout(() => visit.cutAnswer(), 20);
      }),
    );
    const wire = await stage.wire();
    wire.send(`GET / HTTP/1.1\r\n${HOST}Accept-Encoding: gzip\r\n\r\n`);
    await wire.closed;
    await expect.poll(() => compressor.streams).toBe(0);
  });

  test('a caller that reads nothing stops the thread within its window, and one that leaves frees the stream', async () => {
    const compressor = new Compressor();
    let given = 0;
    let isGone = false;
    const stage = await Stage.open(
      kind,
      around(compressor, (visit) => {
        let ahead = 0;
        const sink: AnswerSink = {
          taken: (bytes) => {
            ahead -= bytes;
            give();
          },
          gone: () => (isGone = true),
        };
        const give = (): void => {
          while (ahead < WINDOW_BYTES && given < 64 * 1024 * 1024) {
            ahead += 65_536;
            given += 65_536;
            visit.answerPiece(noise(65_536, given));
          }
        };
        visit.beginAnswer(200, LINES, -1, sink, 'id');
        give();
      }),
    );
    const wire = await stage.wire();
    wire.socket.pause();
    wire.send(`GET / HTTP/1.1\r\n${HOST}Accept-Encoding: gzip\r\n\r\n`);
    let last = -1;
    await expect
      .poll(
        () => {
          const isStill = given === last;
          last = given;
          return isStill;
        },
        { interval: 300, timeout: 10_000 },
      )
      .toBe(true);
    expect(given).toBeLessThan(32 * 1024 * 1024);
    wire.socket.destroy();
    await expect.poll(() => [isGone, compressor.streams]).toEqual([true, 0]);
  });

  test('a caller that leaves while its answer is compressed is not reported under a number that another request may have', async () => {
    const compressor = new Compressor();
    const gone: number[] = [];
    let seen: Visit | null = null;
    const overs: (() => void)[] = [];
    for (let i = 0; i < limits.door.compressingMax; i++) compressor.turn((over) => overs.push(over));
    const stage = await Stage.open(kind, (bare) => {
      seen = bare;
      around(compressor, (visit) => {
        visit.watch({ gone: (no) => gone.push(no) }, 7);
        if (bare.path === '/answered') visit.answer(200, LINES, textOf(100_000));
      })(bare);
    });
    for (const path of ['/answered', '/waits']) {
      const wire = await stage.wire();
      wire.send(`GET ${path} HTTP/1.1\r\n${HOST}Accept-Encoding: gzip\r\n\r\n`);
      await expect.poll(() => seen?.path).toBe(path);
      wire.end();
      await aborted(seen!);
    }
    expect(gone).toEqual([7]);
    for (const over of overs) over();
    expect(stage.faults).toEqual([]);
  });
});

const nothing = (): AnswerSink => ({ taken: () => undefined, gone: () => undefined });

function inPieces(visit: Visit, pieces: readonly Buffer[], withLength = false): void {
  const length = withLength ? pieces.reduce((sum, { length: one }) => sum + one, 0) : -1;
  visit.beginAnswer(200, LINES, length, nothing(), 'id');
  for (const piece of pieces) if (piece.length > 0) visit.answerPiece(new Uint8Array(piece));
  visit.endAnswer();
}

/** Bytes that do not get shorter. */
function noise(bytes: number, seed: number): Buffer<ArrayBuffer> {
  const out = Buffer.from(new ArrayBuffer(bytes));
  let state = seed + 1;
  for (let i = 0; i < bytes; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    out[i] = state >>> 24;
  }
  return out;
}
