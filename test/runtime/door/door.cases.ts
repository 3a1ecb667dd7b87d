/** What every door must do. Where the two servers cannot agree, the case names both answers and why. */
import { describe, expect, test } from 'vitest';
import { INLINE_BYTES_MAX } from '#actors/protocol/frame.ts';
import type { Body } from '#actors/protocol/frame.ts';
import { limits } from '#config/limits.ts';
import type { DoorKind } from '#runtime/door/open-door.ts';
import type { DoorOptions, Visit, VisitHandler } from '#runtime/door/port.ts';
import { Unsent } from '#actors/kit/unsent.ts';
import { closingCases } from './closing.cases.ts';
import { renewCases } from './renew.cases.ts';
import { slowCallerCases } from './slow-callers.cases.ts';
import { smugglingCases } from './smuggling.cases.ts';
import { aborted, BODY_MAX, HOST, Stage, tell, tellLater } from './stage.ts';

const MiB = 1024 * 1024;

export function doorCases(kind: DoorKind): void {
  let stage: Stage;
  const open = async (handler: VisitHandler, more?: Partial<DoorOptions>): Promise<Stage> => {
    stage = await Stage.open(kind, handler, more);
    return stage;
  };

  describe(`${kind}: requests`, () => {
    test('method, raw path, raw query, headers and the caller are told', async () => {
      const told: unknown[] = [];
      await open((visit) => {
        told.push(visit.method, visit.path, visit.query, visit.header('x-a'), visit.header('x-none'), visit.ip());
        visit.answer(200, '', '');
      });
      const wire = await stage.wire();
      wire.send(`PATCH /a%2Fb/../%2e%2e//c/?x=%20&y=a?b HTTP/1.1\r\n${HOST}X-A: one\r\nx-a: two\r\n\r\n`);
      expect((await wire.answer())!.status).toBe(200);
      expect(told).toEqual(['PATCH', '/a%2Fb/../%2e%2e//c/', 'x=%20&y=a?b', 'one', '', '127.0.0.1']);
    });

    test('header values are UTF-8, trimmed', async () => {
      const told: string[] = [];
      await open((visit) => {
        told.push(visit.header('x-a'));
        visit.answer(200, '', '');
      });
      const wire = await stage.wire();
      wire.send(Buffer.from(`GET / HTTP/1.1\r\n${HOST}X-A: \t grün \t\r\n\r\n`));
      await wire.answer();
      expect(told).toEqual(['grün']);
    });

    test('a field that came more than once is read as its first value, or as the list of all', async () => {
      const told: string[] = [];
      await open((visit) => {
        told.push(visit.header('x-forwarded-for'), visit.headers('x-forwarded-for'), visit.headers('x-none'));
        visit.answer(200, '', '');
      });
      const wire = await stage.wire();
      wire.send(`GET / HTTP/1.1\r\n${HOST}X-Forwarded-For: a\r\nX-B: c\r\nx-forwarded-for: b, d\r\n\r\n`);
      await wire.answer();
      expect(told).toEqual(['a', 'a, b, d', '']);
    });

    test("header() throws once the handler has returned: the fields are another request's by then", async () => {
      const later: Visit[] = [];
      await open((visit) => void later.push(visit));
      const wire = await stage.wire();
      wire.send(`GET / HTTP/1.1\r\n${HOST}Authorization: Bearer a\r\n\r\n`);
      while (later.length === 0) await new Promise((resolve) => setImmediate(resolve));
      expect(() => later[0]!.header('authorization')).toThrow(/after the handler/);
      later[0]!.answer(200, '', '');
      expect((await wire.answer())!.status).toBe(200);
    });

    test('HEAD has the headers and the length of GET, and no body', async () => {
      await open((visit) => visit.answer(200, 'ETag: "1"\n', 'grün'));
      const wire = await stage.wire();
      wire.send(`HEAD / HTTP/1.1\r\n${HOST}\r\n`);
      expect(await wire.answer('HEAD')).toMatchObject({ status: 200, headers: { etag: '"1"', 'content-length': '5' } });
      wire.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
      expect((await wire.answer())!.body.toString()).toBe('grün');
    });

    test.each(['OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'])('%s reaches the handler', async (method) => {
      const seen: string[] = [];
      await open(tell(seen));
      const wire = await stage.wire();
      wire.send(`${method} /a HTTP/1.1\r\n${HOST}\r\n`);
      expect((await wire.answer())!.status).toBe(200);
      expect(seen).toEqual([`${method} /a?`]);
    });

    test.each(['BREW', 'get', 'Get', 'G(T', 'CONNECT'])('%s is 501 and the connection closes', async (method) => {
      const seen: string[] = [];
      await open(tell(seen));
      const wire = await stage.wire();
      wire.send(`${method} ${method === 'CONNECT' && kind === 'node' ? 'a:80' : '/a'} HTTP/1.1\r\n${HOST}\r\n`);
      expect((await wire.answer())!.status).toBe(501);
      expect(await wire.rest()).toBe('');
      expect(seen).toEqual([]);
    });

    test('a connection is used again, and pipelined requests are answered in order', async () => {
      const seen: string[] = [];
      await open(tell(seen));
      const wire = await stage.wire();
      for (const path of ['/1', '/2']) {
        wire.send(`GET ${path} HTTP/1.1\r\n${HOST}\r\n`);
        expect((await wire.answer())!.body.toString()).toBe(`GET ${path}? 0`);
      }
      wire.send(
        `POST /3 HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabcGET /4 HTTP/1.1\r\n${HOST}\r\nGET /5 HTTP/1.1\r\n${HOST}\r\n`,
      );
      for (const text of ['POST /3? 3', 'GET /4? 0', 'GET /5? 0'])
        expect((await wire.answer())!.body.toString()).toBe(text);
    });

    // uWebSockets.js holds no queue of requests: one that comes before the answer to the one before it costs the connection.
    test('pipelining before a late answer: the twin answers both, uWebSockets.js closes; neither answers the wrong one', async () => {
      const seen: string[] = [];
      await open(tellLater(seen));
      const wire = await stage.wire();
      wire.send(`GET /1 HTTP/1.1\r\n${HOST}\r\nGET /2 HTTP/1.1\r\n${HOST}\r\n`);
      if (kind === 'uws') expect(await wire.rest()).toBe('');
      else for (const text of ['GET /1? 0', 'GET /2? 0']) expect((await wire.answer())!.body.toString()).toBe(text);
      expect(seen).toEqual(kind === 'uws' ? ['GET /1?'] : ['GET /1?', 'GET /2?']);
    });

    test('Connection: close is obeyed', async () => {
      await open(tell([]));
      const wire = await stage.wire();
      wire.send(`GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
      expect((await wire.answer())!.status).toBe(200);
      expect(await wire.rest()).toBe('');
    });

    test('a caller that waits for 100 Continue gets it', async () => {
      await open(tell([]));
      const wire = await stage.wire();
      wire.send(`POST / HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 3\r\n\r\n`);
      expect((await wire.answer())!.status).toBe(100);
      wire.send('abc');
      expect((await wire.answer())!.body.toString()).toBe('POST /? 3');
    });

    test('many headers and long ones are read, more are 431 and the connection closes', async () => {
      const seen: string[] = [];
      await open(tell(seen));
      const fields = (n: number): string => Array.from({ length: n - 1 }, (_, i) => `X-${i}: 1\r\n`).join('');
      const heads: [string, number][] = [
        [fields(limits.door.headerFieldsMax), 200],
        [fields(limits.door.headerFieldsMax + 1), 431],
        [`X-A: ${'a'.repeat(limits.door.headerBytesMax - 1024)}\r\n`, 200],
        [`X-A: ${'a'.repeat(limits.door.headerBytesMax + 1024)}\r\n`, 431],
        [`X-A: ${'a'.repeat(100_000)}\r\n`, 431],
      ];
      for (const [head, status] of heads) {
        const wire = await stage.wire();
        wire.send(`GET / HTTP/1.1\r\n${HOST}${head}\r\n`);
        expect((await wire.answer())!.status).toBe(status);
        if (status === 431) await wire.closed;
      }
      expect(seen.length).toBe(2);
    });
  });

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

    test('a body that nobody reads is dropped, chunked or not', async () => {
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

  describe(`${kind}: answers`, () => {
    test('text is UTF-8 with its length in bytes, bytes stay bytes, header lines are kept', async () => {
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
      await open((visit) => {
        if (visit.path === '/text')
          visit.answer(201, 'Content-Type: text/plain; charset=utf-8\nSet-Cookie: a=b: c\n', 'Grüße 🐝');
        else visit.answer(200, '', bytes);
      });
      const wire = await stage.wire();
      wire.send(`GET /text HTTP/1.1\r\n${HOST}\r\nGET /bytes HTTP/1.1\r\n${HOST}\r\n`);
      const text = await wire.answer();
      expect(text).toMatchObject({
        status: 201,
        headers: { 'content-type': 'text/plain; charset=utf-8', 'set-cookie': 'a=b: c', 'content-length': '12' },
      });
      expect(text!.body.toString()).toBe('Grüße 🐝');
      expect(Buffer.compare((await wire.answer())!.body, bytes)).toBe(0);
    });

    test.each([204, 304])('%d has neither body nor length', async (status) => {
      await open((visit) => visit.answer(status, 'ETag: "1"\n', 'ignored'));
      const wire = await stage.wire();
      wire.send(`GET / HTTP/1.1\r\n${HOST}\r\nGET / HTTP/1.1\r\n${HOST}\r\n`);
      for (const answer of [await wire.answer(), await wire.answer()]) {
        expect(answer!.status).toBe(status);
        expect(answer!.headers['content-length']).toBeUndefined();
        expect(answer!.headers['transfer-encoding']).toBeUndefined();
      }
    });

    test('answers that nobody reads: past the bound the slowest connections are cut, and readers get theirs whole', async () => {
      const bytes = Buffer.alloc(8 * MiB, 'abcdefg');
      const cut: number[] = [];
      const unsent = new Unsent(20 * MiB, (left) => cut.push(left));
      await open((visit) => setImmediate(() => visit.answer(200, '', Buffer.from(bytes))), { unsent });
      const deaf = [];
      for (let n = 0; n < 6; n++) {
        const wire = await stage.wire();
        wire.socket.pause();
        wire.send(`GET /${n} HTTP/1.1\r\n${HOST}\r\n`);
        deaf.push(wire);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const reader = await stage.wire();
      reader.send(`GET /read HTTP/1.1\r\n${HOST}\r\n`);
      expect((await reader.answer())!.body.length).toBe(bytes.length);
      expect(cut.length).toBeGreaterThanOrEqual(3);
      expect(unsent.bytes).toBeLessThanOrEqual(20 * MiB);
      for (const wire of deaf) wire.end();
      while (unsent.bytes > 0) await new Promise((resolve) => setImmediate(resolve));
      expect(stage.faults).toEqual([]);
    });

    test.each(['sync', 'late'])('4 MiB to a slow reader arrive whole (%s), as bytes and as text', async (when) => {
      const bytes = Buffer.alloc(4 * MiB, 'abcdefg');
      await open((visit) => {
        const answer = (): void => visit.answer(200, '', visit.path === '/text' ? bytes.toString() : bytes);
        if (when === 'sync') answer();
        else setImmediate(answer);
      });
      for (const path of ['/bytes', '/text']) {
        const wire = await stage.wire();
        wire.socket.pause();
        wire.send(`GET ${path} HTTP/1.1\r\n${HOST}\r\n`);
        for (let i = 0; i < 20; i++) {
          await new Promise((resolve) => setTimeout(resolve, 2));
          wire.socket.read(64 * 1024);
        }
        wire.socket.resume();
        const answer = await wire.answer();
        expect(answer!.headers['content-length']).toBe(String(bytes.length));
        wire.send(`HEAD ${path} HTTP/1.1\r\n${HOST}\r\n`);
        expect((await wire.answer('HEAD'))!.headers['content-length']).toBe(String(bytes.length));
      }
    });

    test('a caller that leaves in the middle of a large answer ends the visit', async () => {
      const visits: Visit[] = [];
      await open((visit) => {
        visits.push(visit);
        visit.answer(200, '', new Uint8Array(16 * MiB));
      });
      const wire = await stage.wire();
      wire.socket.pause();
      wire.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
      while (visits.length === 0) await new Promise((resolve) => setImmediate(resolve));
      wire.end();
      await aborted(visits[0]!);
      await stage.door.close();
    });

    test('only the first answer counts', async () => {
      await open((visit) => {
        visit.answer(200, '', 'first');
        visit.answer(500, '', 'second');
        setImmediate(() => visit.answer(500, '', 'third'));
      });
      const wire = await stage.wire();
      wire.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
      expect((await wire.answer())!.body.toString()).toBe('first');
      wire.send(`GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
      expect((await wire.answer())!.body.toString()).toBe('first');
      expect(await wire.rest()).toBe('');
    });

    test('an answer after the caller left is dropped', async () => {
      const visits: Visit[] = [];
      await open((visit) => void visits.push(visit));
      const wire = await stage.wire();
      wire.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
      while (visits.length === 0) await new Promise((resolve) => setImmediate(resolve));
      wire.end();
      await aborted(visits[0]!);
      visits[0]!.answer(200, '', 'late');
      expect(stage.faults).toEqual([]);
    });

    test('a caller that leaves in the middle of its body: neither done nor tooLarge', async () => {
      const visits: Visit[] = [];
      const told: string[] = [];
      await open((visit) => {
        visits.push(visit);
        visit.readBody(
          BODY_MAX,
          () => told.push('done'),
          () => told.push('tooLarge'),
        );
      });
      for (const head of ['Content-Length: 9', 'Transfer-Encoding: chunked']) {
        const wire = await stage.wire();
        wire.send(`POST / HTTP/1.1\r\n${HOST}${head}\r\n\r\n3\r\nabc`);
        const n = visits.length;
        while (visits.length === n) await new Promise((resolve) => setImmediate(resolve));
        wire.end();
        await aborted(visits[n]!);
      }
      expect(told).toEqual([]);
    });

    test('what the handler throws is told and answered 500, and the door lives', async () => {
      await open((visit) => {
        if (visit.path === '/now') throw new Error('now');
        visit.readBody(
          1,
          () => {
            throw new Error('done');
          },
          () => {
            throw new Error('tooLarge');
          },
        );
      });
      const wire = await stage.wire();
      wire.send(`GET /now HTTP/1.1\r\n${HOST}\r\n`);
      expect((await wire.answer())!.status).toBe(500);
      for (const n of [0, 1, 2]) {
        wire.send(`POST /${n} HTTP/1.1\r\n${HOST}Content-Length: ${n}\r\n\r\n${'x'.repeat(n)}`);
        expect((await wire.answer())!.status).toBe(500);
      }
      expect(stage.faults.map((fault) => (fault as Error).message)).toEqual(['now', 'done', 'done', 'tooLarge']);
    });

    test.each(['X: a\r\nY: b\n', 'X: a', 'no colon\n', 'X: grün\n', 'X: a\n\nY: b\n'])(
      'header lines %j are a fault, not an answer',
      async (lines) => {
        await open((visit) => visit.answer(200, lines, 'secret'));
        const wire = await stage.wire();
        wire.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
        expect(await wire.answer()).toMatchObject({ status: 500, body: Buffer.alloc(0) });
        expect(stage.faults.length).toBe(1);
      },
    );
  });

  renewCases(kind);
  slowCallerCases(kind);
  smugglingCases(kind);
  closingCases(kind);
}
