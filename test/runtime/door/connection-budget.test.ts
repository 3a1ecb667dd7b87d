/** So many connections at once, on both servers. */
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { ConnectionBudget, roomForConnections } from '#runtime/door/connection-budget.ts';
import { openDoor } from '#runtime/door/open-door.ts';
import type { VisitHandler } from '#runtime/door/port.ts';

const hello: VisitHandler = (visit) => visit.answer(200, '', 'hello');

async function connected(port: number): Promise<{ socket: Socket; closed: () => boolean }> {
  const socket = connect(port, '127.0.0.1');
  let isClosed = false;
  socket.on('error', () => undefined).on('close', () => (isClosed = true));
  socket.resume();
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, closed: () => isClosed };
}

test.each(['uws', 'node'] as const)(
  '%s closes what comes past the budget, and takes others when there is room',
  async (kind) => {
    const connections = new ConnectionBudget(3);
    const door = await openDoor({ host: '127.0.0.1', port: 0, connections }, hello, kind);
    onTestFinished(() => door.close());
    const callers: Awaited<ReturnType<typeof connected>>[] = [];
    for (let i = 0; i < 8; i++) callers.push(await connected(door.port));
    const closed = (): number => callers.filter((caller) => caller.closed()).length;
    await expect.poll(closed, { timeout: 5000 }).toBe(5);
    expect([connections.open, connections.refused]).toEqual([3, 5]);
    for (const { socket } of callers) socket.destroy();
    await expect.poll(() => connections.open, { timeout: 5000 }).toBe(0);
    const answer = await fetch(`http://127.0.0.1:${door.port}/`, { headers: { connection: 'close' } });
    expect(await answer.text()).toBe('hello');
    await expect.poll(() => connections.open, { timeout: 5000 }).toBe(0);
  },
);

test('the first refusal is reported, and a while without one clears it', () => {
  const told: string[] = [];
  const afters: (() => void)[] = [];
  const budget = new ConnectionBudget(1, {
    degraded: {
      report: ({ scope, reason }) => void told.push(`${scope}: ${reason}`),
      clear: (scope) => void told.push(`${scope} is over`),
    },
    after: (_ms, run) => void afters.push(run),
  });
  expect([budget.came(), budget.came(), budget.came()]).toEqual([true, false, false]);
  expect(told).toEqual([expect.stringMatching(/^descriptors: the doors hold 1 connections.*LimitNOFILE/)]);
  budget.left();
  budget.left();
  expect(budget.came()).toBe(false);
  afters.shift()!();
  expect(told).toHaveLength(1);
  afters.shift()!();
  expect(told.at(-1)).toBe('descriptors is over');
  expect(budget.came()).toBe(false);
  expect(told).toHaveLength(3);
});

test('the limit of open files leaves a bound', { skip: process.platform !== 'linux' }, () => {
  const room = roomForConnections();
  expect(room).toBeGreaterThanOrEqual(limits.door.connectionsMin);
  expect(Number.isFinite(room)).toBe(true);
});
