/** A request head cut in two at every byte: TCP promises nothing about where its segments end. */
import { execFileSync } from 'node:child_process';
import { connect as connectTcp, createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOST, Stage, tell } from './stage.ts';

const HEAD = `GET /a/b?c=1 HTTP/1.1\r\n${HOST}X-A: 1\r\n\r\n`;
const LINE = HEAD.slice(0, HEAD.indexOf('\r\n'));
/** Behind the verb's space, behind the target's, within the version and its CR: the addon takes the rest for another version (docs/decisions/runtime.md). */
const ADDON_FAILS = new Set([4, ...Array.from({ length: 10 }, (_, i) => LINE.length - 8 + i)]);

/** The status of the answer to a head in two pieces; they leave by themselves, a while apart. */
async function statusOf(socket: Duplex, cut: number): Promise<number> {
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (bytes: Buffer) => resolve(bytes.toString('latin1')));
    socket.on('close', () => resolve(''));
    socket.on('error', () => resolve(''));
  });
  socket.write(HEAD.slice(0, cut));
  await wait(10);
  socket.write(HEAD.slice(cut));
  const text = await answer;
  socket.destroy();
  return Number(text.split(' ')[1] ?? 0);
}

async function failing(open: () => Promise<Duplex>): Promise<number[]> {
  const cuts = Array.from({ length: HEAD.length - 1 }, (_, i) => i + 1);
  const statuses = await Promise.all(cuts.map(async (cut) => statusOf(await open(), cut)));
  return cuts.filter((_, i) => statuses[i] !== 200);
}

/** A proxy that sends whatever it gets from a caller in two segments. */
async function cutting(port: number, cut: number): Promise<Server> {
  const proxy = createServer((caller) => {
    const door = connectTcp(port, '127.0.0.1').setNoDelay(true);
    let sent = Promise.resolve();
    caller.on('data', (bytes: Buffer) => {
      sent = sent.then(async () => {
        door.write(bytes.subarray(0, cut));
        await wait(5);
        door.write(bytes.subarray(cut));
      });
    });
    door.pipe(caller);
    for (const socket of [caller, door]) socket.on('error', () => undefined).on('close', () => (caller.destroy(), door.destroy())); // prettier-ignore
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return proxy;
}

const opened = <S extends Duplex>(socket: S, event: string): Promise<S> =>
  new Promise((resolve, reject) => socket.once(event, () => resolve(socket)).once('error', reject));

describe.each(['uws', 'node'] as const)('%s', (kind) => {
  test('in plain text', async () => {
    const seen: string[] = [];
    const { door } = await Stage.open(kind, tell(seen));
    const open = async (): Promise<Duplex> => {
      const socket = await opened(connectTcp(door.port, '127.0.0.1'), 'connect');
      return socket.setNoDelay(true);
    };
    const failed = await failing(open);
    expect(failed).toEqual(kind === 'node' ? [] : [...ADDON_FAILS]);
    expect(new Set(seen)).toEqual(new Set(['GET /a/b?c=1']));
  });

  describe('over TLS', () => {
    let dir: string;
    beforeAll(() => {
      dir = mkdtempSync(join(tmpdir(), 'skep-cuts-'));
      const files = ['-keyout', join(dir, 'key.pem'), '-out', join(dir, 'cert.pem')];
      execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=a', ...files], { stdio: 'ignore' }); // prettier-ignore
    });
    afterAll(() => rmSync(dir, { recursive: true, force: true }));

    test('a head in one record arrives whole, wherever TCP cuts the record', async () => {
      const seen: string[] = [];
      const tls = { keyFile: join(dir, 'key.pem'), certFile: join(dir, 'cert.pem') };
      const { door } = await Stage.open(kind, tell(seen), { tls });
      for (const cut of [1, 4, 5, 6, 9, 20, 40, 60]) {
        const proxy = await cutting(door.port, cut);
        const options = { port: (proxy.address() as AddressInfo).port, host: '127.0.0.1', rejectUnauthorized: false };
        const secure = await opened(connectTls(options), 'secureConnect');
        // A piece of no bytes and the whole head: one record, as clients write it.
        expect(await statusOf(secure, 0), `cut at ${cut}`).toBe(200);
        proxy.close();
      }
      expect(seen).toHaveLength(8);
    });
  });
});
