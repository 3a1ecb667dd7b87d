/** Answers: their bytes, slow readers, callers that leave, faults of the handler. */
import { describe, expect, test } from 'vitest';
import type { DoorKind } from '#runtime/door/open-door.ts';
import type { DoorOptions, Visit, VisitHandler } from '#runtime/door/port.ts';
import { Unsent } from '#actors/kit/unsent.ts';
import { aborted, BODY_MAX, HOST, Stage } from './stage.ts';

const MiB = 1024 * 1024;

export function answerCases(kind: DoorKind): void {
  let stage: Stage;
  const open = async (handler: VisitHandler, more?: Partial<DoorOptions>) =>
    (stage = await Stage.open(kind, handler, more));

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

    test('unread answers: past the bound the slowest connections are cut, and readers get theirs whole', async () => {
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

    test('what the handler throws is reported and answered 500, and the door lives', async () => {
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
}
