/** Of whom the kernel knows, at a server of this process. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as passed } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { lastCallersOf } from '#runtime/door/last-callers.ts';

/** More than the ticks in which the kernel counts. */
const A_WHILE_MS = 100;

async function serverOf(onSocket: (socket: Socket) => void): Promise<{ server: Server; port: number }> {
  const server = createServer(onSocket);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

async function caller(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

describe.runIf(process.platform === 'linux')('callers that a port has', () => {
  async function stage(isTls = false) {
    const sockets: Socket[] = [];
    let came: () => void = () => undefined;
    const { server, port } = await serverOf((socket) => {
      sockets.push(socket.on('error', () => undefined).resume());
      onTestFinished(() => void socket.destroy());
      came();
    });
    const last = await lastCallersOf(port, { isTls, keepsHeads: false });
    const accepted = () => new Promise<void>((resolve) => (came = resolve));
    return { accepted, last, port, server, sockets };
  }

  test('one that has sent nothing is expected, for a second', async () => {
    const { accepted, last, port } = await stage();
    const came = accepted();
    await caller(port);
    await came;
    expect(last.expected(0)).toBe(true);
    await passed(limits.door.silentMsMax + A_WHILE_MS);
    expect(last.expected(0)).toBe(false);
  });

  test.each([
    ['before answers ended connections: not over TCP', false, 0, false],
    ['since then', false, 10_000, true],
    ['over TLS, whenever', true, 0, true],
  ])('one that sent something %s', async (_, isTls, sinceMs, isExpected) => {
    const { accepted, last, port, sockets } = await stage(isTls);
    const came = accepted();
    const socket = await caller(port);
    await came;
    const read = new Promise((resolve) => sockets[0]!.once('data', resolve));
    socket.write('GET');
    await read;
    await passed(A_WHILE_MS);
    expect(last.expected(sinceMs)).toBe(isExpected);
  });

  test('one that has gone is not', async () => {
    const { accepted, last, port, sockets } = await stage();
    const came = accepted();
    const socket = await caller(port);
    await came;
    const gone = new Promise((resolve) => sockets[0]!.once('close', resolve));
    socket.end();
    await gone;
    expect(last.expected(0)).toBe(false);
  });

  test('who begins to connect is shut out, who has connected is accepted', async () => {
    const { accepted, last, port, server } = await stage();
    const came = accepted();
    await caller(port);
    await came;
    expect(last.shutOut()).toBe(true);
    const late = connect(port, '127.0.0.1');
    onTestFinished(() => void late.destroy());
    let isConnected = false;
    const refused = new Promise<string | undefined>((resolve) => {
      late.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
      late.on('connect', () => (isConnected = true));
    });
    await passed(A_WHILE_MS);
    expect(last.waiting()).toBe(0);
    expect(isConnected).toBe(false);
    server.close();
    expect(await refused).toBe('ECONNREFUSED');
  });

  test('those that wait to be accepted are counted', async () => {
    const { last, port } = await stage();
    const sockets = Array.from({ length: 3 }, () => connect(port, '127.0.0.1'));
    for (const socket of sockets) onTestFinished(() => void socket.destroy());
    await new Promise<void>((resolve) => process.nextTick(resolve)); // they begin to connect; in this turn none is accepted
    const until = performance.now() + 10_000;
    while (last.waiting() < 3 && performance.now() < until);
    expect(last.waiting()).toBe(3);
    while (last.waiting() > 0) await new Promise((resolve) => setImmediate(resolve));
  });
});
