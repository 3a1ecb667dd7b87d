/** Bodies of requests: whole, in pieces, too large, not read. */
import { describe, expect, test } from 'vitest';
import { INLINE_BYTES_MAX, type Body } from '#actors/protocol/frame.ts';
import { limits } from '#config/limits.ts';
import type { DoorKind } from '#runtime/door/open-door.ts';
import type { VisitHandler } from '#runtime/door/port.ts';
import { BODY_MAX, HOST, Stage } from './stage.ts';

export function bodyCases(kind: DoorKind): void {
  let stage: Stage;
  const open = async (handler: VisitHandler) => (stage = await Stage.open(kind, handler));

  describe(`${kind}: bodies`, () => {
    const bodies: Body[] = [];
    const keep: VisitHandler = (visit) => {
      visit.readBody(
        BODY_MAX,
        (body) => {
          bodies.push(body);
          visit.answer(200, '', String(body.length));
        },
        () => visit.answer(413, '', 'too large'),
      );
    };

    test.each([0, 1, 256, INLINE_BYTES_MAX, INLINE_BYTES_MAX + 1, BODY_MAX])(
      '%d bytes of every value arrive as they are',
      async (n) => {
        bodies.length = 0;
        await open(keep);
        const bytes = Uint8Array.from({ length: n }, (_, i) => i & 255);
        const whole = await stage.wire();
        whole.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: ${n}\r\n\r\n`);
        whole.send(bytes);
        expect((await whole.answer())!.body.toString()).toBe(String(n));
        const chunked = await stage.wire();
        chunked.send(`POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`);
        for (let at = 0; at < n; at += 1000) {
          const piece = bytes.subarray(at, at + 1000);
          chunked.send(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]));
        }
        chunked.send('0\r\n\r\n');
        expect((await chunked.answer())!.body.toString()).toBe(String(n));
        for (const body of bodies) {
          expect(typeof body).toBe(n <= INLINE_BYTES_MAX ? 'string' : 'object');
          if (typeof body !== 'string') expect(body.buffer.byteLength).toBe(n);
          expect(Buffer.compare(typeof body === 'string' ? Buffer.from(body, 'latin1') : body, bytes)).toBe(0);
        }
        expect(bodies.length).toBe(2);
      },
    );

    test('a body in many small packets arrives whole', async () => {
      bodies.length = 0;
      await open(keep);
      const wire = await stage.wire();
      wire.socket.setNoDelay(true);
      wire.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: 40\r\n\r\n`);
      for (let i = 0; i < 20; i++) {
        wire.send('ab');
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await wire.answer())!.status).toBe(200);
      expect(bodies).toEqual(['ab'.repeat(20)]);
    });

    test('a declared length over the cap is 413 at once, and the connection goes on after the body', async () => {
      await open(keep);
      const wire = await stage.wire();
      wire.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: ${BODY_MAX + 1}\r\n\r\n`);
      expect((await wire.answer())!.status).toBe(413);
      wire.send('x'.repeat(BODY_MAX + 1));
      wire.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\nok`);
      expect((await wire.answer())!.body.toString()).toBe('2');
    });

    test('a chunked body over the cap is 413, then the connection closes', async () => {
      await open(keep);
      const wire = await stage.wire();
      wire.send(`POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`);
      for (let i = 0; i < 3; i++) wire.send(`8000\r\n${'x'.repeat(0x8000)}\r\n`);
      wire.send('0\r\n\r\n');
      expect(await wire.answer()).toMatchObject({ status: 413, headers: { connection: 'close' } });
      expect(await wire.rest()).toBe('');
    });

    test('a chunked body without an end is cut once enough of it was dropped', async () => {
      await open(keep);
      const wire = await stage.wire();
      wire.send(`POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`);
      const piece = `8000\r\n${'x'.repeat(0x8000)}\r\n`;
      while (!wire.over) {
        wire.send(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(wire.socket.bytesWritten).toBeGreaterThan(limits.door.discardBytesMax);
    });

    test('an unread body is dropped, chunked or not', async () => {
      await open((visit) => visit.answer(404, '', ''));
      const wire = await stage.wire();
      wire.send(
        `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhelloPOST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`,
      );
      expect((await wire.answer())!.status).toBe(404);
      wire.send(`20000\r\n${'x'.repeat(0x20000)}\r\n0\r\n\r\n`);
      expect((await wire.answer())!.status).toBe(404);
      expect(await wire.rest()).toBe('');
    });

    test('GET with a body is read, and the next request begins after it', async () => {
      await open(keep);
      const wire = await stage.wire();
      wire.send(`GET / HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhelloGET / HTTP/1.1\r\n${HOST}\r\n`);
      expect((await wire.answer())!.body.toString()).toBe('5');
      expect((await wire.answer())!.body.toString()).toBe('0');
    });
  });
}
