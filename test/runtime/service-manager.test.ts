import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { serviceManager } from '#runtime/service-manager.ts';
import { listenAt } from '#test/kit/datagram-socket.ts';

afterEach(() => void vi.useRealTimers());

async function listening(path?: string) {
  const dir = mkdtempSync(join(tmpdir(), 'skep-notify-'));
  const place = path ?? join(dir, 'notify');
  const socket = await listenAt(place);
  onTestFinished(() => {
    socket.close();
    rmSync(dir, { recursive: true });
  });
  return { place, socket };
}

test('the manager is told that the node serves and that it drains', async () => {
  const { place, socket } = await listening();
  const manager = await serviceManager({ NOTIFY_SOCKET: place });
  expect(socket.read()).toEqual([]);
  manager.ready('serving 3 tenants');
  manager.stopping();
  expect(socket.read()).toEqual(['READY=1\nSTATUS=serving 3 tenants', 'STOPPING=1']);
});

test('an abstract name is reached', async () => {
  const { place, socket } = await listening(`@skep-notify-${process.pid}`);
  (await serviceManager({ NOTIFY_SOCKET: place })).ready('serving');
  expect(socket.read()).toEqual(['READY=1\nSTATUS=serving']);
});

test('signs of life come twice in the period, from the readiness to the drain', async () => {
  const { place, socket } = await listening();
  const manager = await serviceManager({ NOTIFY_SOCKET: place, WATCHDOG_USEC: '10000000', WATCHDOG_PID: '7' }, 7);
  vi.useFakeTimers();
  vi.advanceTimersByTime(60_000);
  expect(socket.read()).toEqual([]);
  manager.ready('serving');
  vi.advanceTimersByTime(20_000);
  expect(socket.read().slice(1)).toEqual(['WATCHDOG=1', 'WATCHDOG=1', 'WATCHDOG=1', 'WATCHDOG=1']);
  manager.stopping();
  vi.advanceTimersByTime(20_000);
  expect(socket.read()).toEqual(['STOPPING=1']);
});

test('a manager that reads nothing stops no node: signs of life that find its queue full are dropped', async () => {
  const { place, socket } = await listening();
  const manager = await serviceManager({ NOTIFY_SOCKET: place, WATCHDOG_USEC: '1000000' });
  vi.useFakeTimers();
  manager.ready('serving');
  vi.advanceTimersByTime(300_000); // 600 signs
  const told = socket.read();
  expect(told[0]).toBe('READY=1\nSTATUS=serving');
  expect(told.length).toBeLessThan(600);
  manager.stopping();
  expect(socket.read()).toEqual(['STOPPING=1']);
});

test.each([{ WATCHDOG_USEC: '10000000', WATCHDOG_PID: '8' }, { WATCHDOG_USEC: '0' }, { WATCHDOG_USEC: 'soon' }, {}])(
  'no sign of life where none is asked of this process: %j',
  async (env) => {
    const { place, socket } = await listening();
    const manager = await serviceManager({ NOTIFY_SOCKET: place, ...env }, 7);
    vi.useFakeTimers();
    manager.ready('serving');
    vi.advanceTimersByTime(60_000);
    expect(socket.read()).toHaveLength(1);
  },
);

test('without a manager nothing is sent, and one that has gone ends nothing', async () => {
  (await serviceManager({})).ready('serving');
  const { place, socket } = await listening();
  const manager = await serviceManager({ NOTIFY_SOCKET: place });
  socket.close();
  rmSync(place);
  manager.ready('serving');
  manager.stopping();
});

test.each(['notify', 'vsock:2:1', `/${'a'.repeat(107)}`])(
  'a socket that cannot be named is refused: %s',
  async (path) => {
    await expect(serviceManager({ NOTIFY_SOCKET: path })).rejects.toThrow(/NOTIFY_SOCKET/);
  },
);
