/** A door with times instead of a pace: the three of Go's net/http, on the twin alone. */
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openDoor } from '#runtime/door/open-door.ts';
import type { DoorTimes, VisitHandler } from '#runtime/door/port.ts';
import { openUwsDoor } from '#runtime/door/uws.ts';
import { BODY_MAX, HOST, Stage } from './stage.ts';

const LONG: DoorTimes = { readMs: 60_000, writeMs: 60_000, idleMs: 60_000 };

const read: VisitHandler = (visit) =>
  visit.readBody(
    BODY_MAX,
    (body) => visit.answer(200, '', String(body.length)),
    () => visit.answer(413, '', ''),
    () => visit.answer(408, '', 'slow'),
  );

const open = (times: Partial<DoorTimes>, handler = read): Promise<Stage> =>
  Stage.open('node', handler, { times: { ...LONG, ...times } });

describe('readMs bounds a whole request', () => {
  test.each([
    ['a head of which nothing comes', ''],
    ['a head that stops', `POST / HTTP/1.1\r\n${HOST}`],
  ])('%s: a bare 408, then the connection closes', async (_what, bytes) => {
    const stage = await open({ readMs: 60 });
    const wire = await stage.wire();
    wire.send(bytes);
    expect(await wire.answer()).toMatchObject({ status: 408, headers: { connection: 'close' } });
    await wire.closed;
  });

  test.each(['Content-Length: 10\r\n\r\nabc', 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'])(
    'a body that stops is refused by its reader, then the connection closes (%j)',
    async (rest) => {
      const stage = await open({ readMs: 60 });
      const wire = await stage.wire();
      wire.send(`POST / HTTP/1.1\r\n${HOST}${rest}`);
      const answer = await wire.answer('POST');
      expect([answer?.status, answer?.headers['connection'], answer?.body.toString()]).toEqual([408, 'close', 'slow']);
      await wire.closed;
      expect(stage.faults).toEqual([]);
    },
  );

  test('a body that goes on coming ends, too: it is the whole that is bounded', async () => {
    const stage = await open({ readMs: 300 });
    const wire = await stage.wire();
    wire.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: 60000\r\n\r\n`);
    while (!wire.over) {
      wire.send('a');
      await wait(20);
    }
    expect((await wire.answer('POST'))?.status).toBe(408);
  });

  test('the rest of a body that was refused already is not waited for', async () => {
    const stage = await open({ readMs: 60 }, (visit) => visit.answer(404, '', 'none'));
    const wire = await stage.wire();
    wire.send(`POST / HTTP/1.1\r\n${HOST}Content-Length: 10\r\n\r\nabc`);
    expect((await wire.answer('POST'))?.status).toBe(404);
    expect(await wire.rest()).toBe('');
  });

  test('the time that an answer takes to be made is none of it', async () => {
    const stage = await open({ readMs: 60 }, (visit) => void setTimeout(() => visit.answer(200, '', 'late'), 400));
    const wire = await stage.wire();
    wire.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
    expect((await wire.answer())?.body.toString()).toBe('late');
  });
});

describe('writeMs bounds an answer', () => {
  test('one that its caller does not take is cut', async () => {
    const stage = await open({ writeMs: 60 }, (visit) => visit.answer(200, '', Buffer.alloc(64 * 1024 * 1024)));
    const wire = await stage.wire();
    wire.socket.pause();
    wire.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
    await wait(400);
    wire.socket.resume();
    await wire.closed;
    expect(await wire.answer()).toBeNull();
  });

  test('one of many small ones, too', async () => {
    const stage = await open({ writeMs: 60 }, (visit) => visit.answer(200, '', 'x'.repeat(1000)));
    const wire = await stage.wire();
    wire.socket.pause();
    const requests = `GET / HTTP/1.1\r\n${HOST}\r\n`.repeat(1000);
    while (!wire.over) {
      wire.send(requests);
      await wait(20);
    }
    await stage.door.close();
    expect(stage.faults).toEqual([]);
  });

  test('one that is taken in time leaves whole', async () => {
    const stage = await open({ writeMs: 30_000 }, (visit) => visit.answer(200, '', Buffer.alloc(8 * 1024 * 1024)));
    const wire = await stage.wire();
    wire.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
    expect((await wire.answer())?.body.length).toBe(8 * 1024 * 1024);
  });
});

describe('idleMs bounds the wait for the next request', () => {
  test('a connection that says nothing more closes', async () => {
    const stage = await open({ idleMs: 50 });
    const wire = await stage.wire();
    wire.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
    expect((await wire.answer())?.status).toBe(200);
    expect(await wire.rest()).toBe('');
  });

  test('a longer one is kept longer than uWebSockets.js would', { timeout: 60_000 }, async () => {
    const stage = await open({ idleMs: 60_000 });
    const wire = await stage.wire();
    for (const pause of [14_000, 0]) {
      wire.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
      expect((await wire.answer())?.status).toBe(200);
      await wait(pause);
    }
  });
});

test('such a door is opened on the twin, and refused by uWebSockets.js', async () => {
  const options = { host: '127.0.0.1', port: 0 };
  await expect(openUwsDoor({ ...options, times: LONG }, read)).rejects.toThrow('cannot keep other times than its own');
  await expect(openUwsDoor({ ...options, http10: true }, read)).rejects.toThrow('cannot answer HTTP/1.0');
  const tls = { keyFile: 'k', certFile: 'c', requestCert: true };
  await expect(openUwsDoor({ ...options, tls }, read)).rejects.toThrow('cannot ask callers for a certificate');
  const door = await openDoor({ ...options, times: { ...LONG, idleMs: 50 } }, read, 'uws');
  const answer = await fetch(`http://127.0.0.1:${door.port}/`);
  expect(answer.headers.get('keep-alive')).not.toBeNull();
  await door.close();
});
