/** How a door closes. */
import { describe, expect, test } from 'vitest';
import type { DoorKind } from '#runtime/door/open-door.ts';
import type { Visit } from '#runtime/door/port.ts';
import { HOST, Stage, tell } from './stage.ts';
import { Wire } from './wire.ts';

export function closingCases(kind: DoorKind): void {
  describe(`${kind}: closing`, () => {
    test('answers in flight leave with Connection: close, idle connections end, new ones are refused', async () => {
      const visits: Visit[] = [];
      const stage = await Stage.open(kind, (visit) => void visits.push(visit), { drainMs: 20_000 });
      const [busy, idle] = [await stage.wire(), await stage.wire()];
      busy.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
      while (visits.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const closed = stage.door.close();
      await new Promise((resolve) => setImmediate(resolve)); // what waits to be accepted is, before it listens no more
      await expect(Wire.open(stage.door.port)).rejects.toThrow(/ECONNREFUSED/);
      visits[0]!.answer(200, '', 'last');
      const answer = await busy.answer();
      expect(answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
      expect(answer!.body.toString()).toBe('last');
      await closed;
      await Promise.all([busy.closed, idle.closed]);
    });

    test('a door that closes soon takes connections, and each answer ends its own: none is left when it closes', async () => {
      const stage = await Stage.open(kind, tell([]), { drainMs: 20_000 });
      const [kept, next] = [await stage.wire(), await stage.wire()];
      kept.send(`GET /1 HTTP/1.1\r\n${HOST}\r\n`);
      expect((await kept.answer())!.headers).not.toHaveProperty('connection', 'close');
      stage.door.retire();
      for (const wire of [kept, next, await stage.wire()]) {
        wire.send(`GET /2 HTTP/1.1\r\n${HOST}\r\n`);
        expect(await wire.answer()).toMatchObject({ status: 200, headers: { connection: 'close' } });
        await wire.closed;
      }
      await stage.door.close();
    });

    test('a large answer in flight leaves whole', async () => {
      const visits: Visit[] = [];
      const stage = await Stage.open(kind, (visit) => void visits.push(visit), { drainMs: 20_000 });
      const wire = await stage.wire();
      wire.socket.pause();
      wire.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
      while (visits.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const closed = stage.door.close();
      visits[0]!.answer(200, '', new Uint8Array(8 * 1024 * 1024));
      wire.socket.resume();
      expect((await wire.answer())!.body.length).toBe(8 * 1024 * 1024);
      await closed;
      await wire.closed;
    });

    test('a request that was sent before is still answered', async () => {
      const stage = await Stage.open(kind, tell([]), { drainMs: 20_000 });
      const wire = await stage.wire();
      wire.send(`GET /1 HTTP/1.1\r\n${HOST}\r\n`);
      await wire.answer();
      await new Promise<void>((resolve) => wire.socket.write(`GET /2 HTTP/1.1\r\n${HOST}\r\n`, () => resolve()));
      const closed = stage.door.close();
      expect(await wire.answer()).toMatchObject({ status: 200, headers: { connection: 'close' } });
      await closed;
    });

    test('a visit that is never answered is cut after drainMs', async () => {
      const visits: Visit[] = [];
      const stage = await Stage.open(kind, (visit) => void visits.push(visit), { drainMs: 20 });
      const wire = await stage.wire();
      wire.send(`GET / HTTP/1.1\r\n${HOST}\r\n`);
      while (visits.length === 0) await new Promise((resolve) => setImmediate(resolve));
      await stage.door.close();
      await wire.closed;
      visits[0]!.answer(200, '', 'too late');
      expect(stage.faults).toEqual([]);
    });

    test('a taken port is refused', async () => {
      const stage = await Stage.open(kind, tell([]));
      await expect(Stage.open(kind, tell([]), { port: stage.door.port })).rejects.toThrow(/is taken|EADDRINUSE/);
    });
  });
}
