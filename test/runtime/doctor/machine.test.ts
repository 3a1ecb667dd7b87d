import { expect, test } from 'vitest';
import { examineMachine, machineFacts, type MachineFacts } from '#runtime/doctor/machine.ts';

const facts: MachineFacts = { connections: 20_000, memoryBytes: 4 * 1024 ** 3, addonFault: null };
const states = (more: Partial<MachineFacts>) => examineMachine({ ...facts, ...more }).map(({ state }) => state);

test.each([
  [{}, ['ok', 'ok', 'ok']],
  [{ connections: 999 }, ['warning', 'ok', 'ok']],
  [{ connections: Infinity }, ['ok', 'ok', 'ok']],
  [{ memoryBytes: 512 * 1024 ** 2 }, ['ok', 'warning', 'ok']],
  [{ addonFault: new Error('not there') }, ['ok', 'ok', 'warning']],
])('%j', (more, expected) => {
  expect(states(more)).toEqual(expected);
});

test('this machine has room, memory and the addon', async () => {
  const real = await machineFacts();
  expect(real.addonFault).toBeNull();
  expect(real.connections).toBeGreaterThan(0);
  expect(real.memoryBytes).toBeGreaterThan(64 * 1024 ** 2);
});
