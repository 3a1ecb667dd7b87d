/** What a handler sees of a request, and how requests share a connection. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { DoorKind } from '#runtime/door/open-door.ts';
import type { Visit, VisitHandler } from '#runtime/door/port.ts';
import { HOST, Stage, tell, tellLater } from './stage.ts';

export function requestCases(kind: DoorKind): void {
  let stage: Stage;
  const open = async (handler: VisitHandler) => (stage = await Stage.open(kind, handler));

  describe(`${kind}: requests`, () => {
    test('the handler gets method, raw path, raw query, headers and the caller', async () => {
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
}
