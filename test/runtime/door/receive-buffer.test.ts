/** A caller that sends faster than the node reads: what is read ahead of the reader stays small. */
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import type { Visit } from '#runtime/door/port.ts';
import { openUwsDoor } from '#runtime/door/uws.ts';

const MEGABYTE = 1024 * 1024;

/** Writes without a pause, from a thread of its own. */
const SENDER = `
const { connect } = require('node:net');
const { workerData: { port, megabytes } } = require('node:worker_threads');
const socket = connect(port, '127.0.0.1');
const bytes = Buffer.alloc(1024 * 1024);
socket.write('POST / HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: ' + megabytes * bytes.length + '\\r\\n\\r\\n');
let sent = 0;
const more = () => {
  while (sent < megabytes) {
    sent++;
    if (!socket.write(bytes)) return void socket.once('drain', more);
  }
};
more();
socket.on('error', () => undefined);
`;

test('a paused body does not go on arriving, however fast its caller sends', async () => {
  let ahead = 0;
  let most = 0;
  let read = 0;
  let visited: Visit | null = null;
  const ended = Promise.withResolvers<void>();
  const door = await openUwsDoor({ host: '127.0.0.1', port: 0 }, (visit) => {
    visited = visit;
    visit.readPieces({
      piece: (bytes) => {
        ahead += bytes.byteLength;
        most = Math.max(most, ahead);
        visit.pauseBody();
        setTimeout(() => {
          read += ahead;
          ahead = 0;
          visit.resumeBody();
        }, 2);
      },
      end: () => ended.resolve(),
      gone: () => ended.reject(new Error('the caller left')),
      tooSlow: () => ended.reject(new Error('the caller sent too slowly')),
    });
  });
  onTestFinished(() => door.close());
  const sender = new Worker(SENDER, { eval: true, workerData: { port: door.port, megabytes: 64 } });
  onTestFinished(async () => void (await sender.terminate()));
  await ended.promise;
  visited!.answer(200, '', '');
  expect(read + ahead).toBe(64 * MEGABYTE);
  expect(most).toBeLessThan(2 * MEGABYTE);
});
