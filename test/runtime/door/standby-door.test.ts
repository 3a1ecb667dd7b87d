/** What the operations listener of a node that waits says: how far it follows, whether its doors reach the node that serves, whether its threads are ready, and what its doors count. */
import { expect, onTestFinished, test } from 'vitest';
import type { Platform } from '#config/platform.ts';
import { StandbyDoor } from '#runtime/door/standby-door.ts';
import { oneSample } from '#runtime/observe/exposition.ts';

const platform = { listeners: { operations: '127.0.0.1:0' } } as Platform;
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function waiting() {
  const state = {
    follows: null as { behind: number; ageMs: number | null } | null,
    fault: null as string | null,
    linked: null as boolean | null,
    why: null as string | null,
    closed: null as string | null,
    isReady: false,
  };
  const door = new StandbyDoor(platform, log);
  onTestFinished(() => door.close());
  const standing = door.with({
    isReady: () => state.isReady,
    link: {
      get linked() {
        return state.linked;
      },
      get fault() {
        return state.why;
      },
      families: () => [oneSample('skep_link_up', 'gauge', 'Whether.', state.linked === true ? 1 : 0)],
    },
    doors: () => [oneSample('skep_requests_total', 'counter', 'Requests.', 7)],
    closed: () => state.closed,
  });
  const url = (await standing.show('n1', () => state))!;
  const read = async (path: string): Promise<string> => (await fetch(url + path)).text();
  return {
    state,
    takesOver: () => standing.takesOver(),
    said: async () => (await read('/readyz')).split('\n')[1],
    /** Names and values. */
    shown: async () => (await read('/metrics')).split('\n').filter((line) => line !== '' && !line.startsWith('#')),
  };
}

test('it says how far it follows and why it does not, and its metrics do', async () => {
  const { said, shown, state } = await waiting();
  expect(await said()).toBe('standby, n1 serves, begins to follow');
  expect(await shown()).toEqual(['skep_standby_follows 0', 'skep_link_up 0', 'skep_requests_total 7']);
  state.follows = { behind: 3, ageMs: 1500 };
  expect(await said()).toBe('standby, n1 serves, 3 entries behind, had all that was confirmed 1.5 s ago');
  expect((await shown()).slice(0, 3)).toEqual([
    'skep_standby_follows 1',
    'skep_standby_behind_entries 3',
    'skep_standby_age_seconds 1.5',
  ]);
  state.fault = 'no room';
  expect(await said()).toBe('standby, n1 serves, does not follow: no room');
  expect((await shown())[0]).toBe('skep_standby_follows 0');
});

test('it says whether its doors reach the node that serves, and why they do not, where they are open', async () => {
  const { said, shown, state, takesOver } = await waiting();
  state.follows = { behind: 1, ageMs: null };
  state.linked = false;
  expect(await said()).toBe('standby, n1 serves, 1 entry behind, and catches up, no link: it is being made');
  state.why = 'connect ECONNREFUSED';
  expect(await said()).toContain(', no link: connect ECONNREFUSED');
  Object.assign(state, { linked: true, why: null, isReady: true });
  expect(await said()).toBe('standby, n1 serves, 1 entry behind, and catches up, linked, threads ready');
  expect(await shown()).toContain('skep_link_up 1');
  takesOver();
  expect(await said()).toBe('taking over');
  expect(await shown()).toEqual(['skep_link_up 1', 'skep_requests_total 7']);
});

test('it says why doors that need something of the vault are closed', async () => {
  const { said, state } = await waiting();
  state.follows = { behind: 1, ageMs: null };
  state.closed = 'vault:intake/gateway is not in the vault';
  expect(await said()).toBe(
    'standby, n1 serves, 1 entry behind, and catches up, doors closed: vault:intake/gateway is not in the vault',
  );
});
