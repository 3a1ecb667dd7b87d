/** What a door does with callers that send a body, or take an answer, slowly. */
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { DoorKind } from '#runtime/door/open-door.ts';
import type { BodySink, Visit, VisitHandler } from '#runtime/door/port.ts';
import { Unsent } from '#actors/kit/unsent.ts';
import type { Pace } from '#runtime/door/transfers.ts';
import { aborted, BODY_MAX, HOST, Stage } from './stage.ts';

const KiB = 1024;
/** A window is over before a test is; two bytes of it satisfy the floor. */
const SHORT: Pace = { windowMs: 200, bodyBytesPerSecondMin: 10, answerBytesPerSecondMin: 10 };
/** The addon's own clocks end a transfer after 8 to 12 s. */
const LONGER_THAN_THE_ADDON_MS = 14_000;

/** Answers 408 to a body that is too slow, else its length. */
const read: VisitHandler = (visit) =>
  visit.readBody(
    BODY_MAX,
    (body) => visit.answer(200, '', String(body.length)),
    () => visit.answer(413, '', ''),
    () => visit.answer(408, '', 'slow'),
  );

function sinkOf(visit: Visit, events: string[]): BodySink {
  return {
    piece: (bytes) => events.push(`piece of ${bytes.length}`),
    end: () => visit.answer(200, '', 'whole'),
    gone: () => events.push('gone'),
    tooSlow: () => {
      events.push('too slow');
      visit.answer(408, '', 'slow');
    },
  };
}

export function slowCallerCases(kind: DoorKind): void {
  describe(`${kind}: slow callers`, () => {
    test.each([
      ['with a length', 'Content-Length: 10\r\n\r\nabc'],
      ['of which nothing comes', 'Content-Length: 10\r\n\r\n'],
      ['chunked', 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'],
      ['chunked, of which nothing comes', 'Transfer-Encoding: chunked\r\n\r\n'],
    ])('a body that stops, %s: one answer, then the connection closes', async (_what, rest) => {
      const stage = await Stage.open(kind, read, { pace: SHORT });
      const wire = await stage.wire();
      wire.send(`POST / HTTP/1.1\r\n${HOST}${rest}`);
      expect(await wire.answer('POST')).toMatchObject({ status: 408, headers: { connection: 'close' } });
      await wire.closed;
      const other = await stage.wire();
      other.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc`);
      expect((await other.answer('POST'))?.status).toBe(200);
      expect(stage.faults).toEqual([]);
    });

    test.each(['Content-Length: 10\r\n\r\nabc', 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'])(
      'a body that is read in pieces and stops: its reader is told, and the caller answered (%j)',
      async (rest) => {
        const events: string[] = [];
        const stage = await Stage.open(kind, (visit) => visit.readPieces(sinkOf(visit, events)), { pace: SHORT });
        const wire = await stage.wire();
        wire.send(`POST / HTTP/1.1\r\n${HOST}${rest}`);
        expect((await wire.answer('POST'))?.status).toBe(408);
        await wire.closed;
        expect(events).toEqual(['piece of 3', 'too slow']);
      },
    );

    test('an answer that waits for the end of a body leaves without it', async () => {
      const stage = await Stage.open(kind, (visit) => visit.answer(404, '', 'none'), { pace: SHORT });
      const wire = await stage.wire();
      wire.send(`POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`);
      expect((await wire.answer('POST'))?.status).toBe(404);
      await wire.closed;
    });

    test('a body that comes slowly, but above the floor, arrives whole', async () => {
      const stage = await Stage.open(kind, read, { pace: SHORT });
      const wire = await stage.wire();
      wire.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: 60\r\n\r\n`);
      for (let i = 0; i < 60; i++) {
        wire.send('a');
        await wait(20);
      }
      expect((await wire.answer('POST'))?.body.toString()).toBe('60');
    });

    test('a body that this side has stopped is not held against its caller', async () => {
      const events: string[] = [];
      const stage = await Stage.open(
        kind,
        (visit) => {
          visit.readPieces(sinkOf(visit, events));
          setImmediate(() => visit.pauseBody());
          setTimeout(() => visit.resumeBody(), 5 * SHORT.windowMs);
        },
        { pace: SHORT },
      );
      const wire = await stage.wire();
      wire.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nab`);
      await wait(4 * SHORT.windowMs);
      wire.send('cde');
      expect((await wire.answer('POST'))?.body.toString()).toBe('whole');
      expect(events).not.toContain('too slow');
    });

    test.each([32 * KiB, 32 * 1024 * KiB])('an unread answer of %d bytes is cut, and reported', async (size) => {
      const cut = Promise.withResolvers<void>();
      const visits: Visit[] = [];
      const handler: VisitHandler = (visit) => {
        visits.push(visit);
        visit.answer(200, '', Buffer.alloc(size));
      };
      const unsent = new Unsent(1024 ** 3);
      const stage = await Stage.open(kind, handler, { pace: SHORT, unsent, onSlow: () => cut.resolve() });
      const wire = await stage.wire();
      wire.socket.pause();
      // One after the other, until the kernel takes no more and one is stuck.
      while (unsent.bytes === 0) {
        wire.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
        await wait(5);
      }
      await cut.promise;
      await aborted(visits.at(-1)!);
      expect([unsent.bytes, stage.faults]).toEqual([0, []]);
    });

    test(
      'a body that stops for 14 s, and an answer whose reader does, go on afterwards',
      { timeout: 60_000 },
      async () => {
        const answer = Buffer.alloc(24 * 1024 * KiB, 'abcdefg');
        const handler: VisitHandler = (visit) => {
          if (visit.method === 'POST') read(visit);
          else setImmediate(() => visit.answer(200, '', answer));
        };
        const stage = await Stage.open(kind, handler);
        const [sender, chunked, reader] = [await stage.wire(), await stage.wire(), await stage.wire()];
        reader.socket.pause();
        reader.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
        sender.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: 6\r\n\r\nabc`);
        chunked.send(`POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`);
        await wait(LONGER_THAN_THE_ADDON_MS);
        reader.socket.resume();
        sender.send('def');
        chunked.send('3\r\ndef\r\n0\r\n\r\n');
        expect((await sender.answer('POST'))?.body.toString()).toBe('6');
        expect((await chunked.answer('POST'))?.body.toString()).toBe('6');
        expect(Buffer.compare((await reader.answer())!.body, answer)).toBe(0);
      },
    );
  });
}
