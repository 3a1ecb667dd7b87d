import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Secrets } from '#actors/host/vault-secrets.ts';

function world() {
  const state = { nowMs: 1_000_000, value: 'one' as string | null, isAway: false, asked: 0, told: 0 };
  const timers: { ms: number; run: () => void }[] = [];
  const warnings: object[] = [];
  const quiet = () => undefined;
  const secrets = new Secrets({
    service: 'content',
    clock: { now: () => state.nowMs },
    log: { info: quiet, error: quiet, warn: (fields) => void warnings.push(fields) },
    read: async () => {
      state.asked++;
      if (state.isAway) throw new Error('the vault is sealed');
      return state.value;
    },
    after: (ms, run) => void timers.push({ ms, run }),
    askAgain: () => void state.told++,
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { secrets, state, timers, warnings, settled };
}

const REFERENCE = { vault: 'content/preview' };

test('a secret that is written is taken as it stands, whatever it looks like, and no vault is asked', async () => {
  const { secrets, state } = world();
  expect([await secrets.of('vault:x'), secrets.known('vault:x'), state.asked]).toEqual(['vault:x', 'vault:x', 0]);
});

test('a reference is asked for once a minute, by many at once only once; a new value counts after it', async () => {
  const { secrets, state } = world();
  expect(await Promise.all([secrets.of(REFERENCE), secrets.of(REFERENCE)])).toEqual(['one', 'one']);
  state.value = 'two';
  expect([await secrets.of(REFERENCE), state.asked]).toEqual(['one', 1]);
  state.nowMs += limits.content.secretKeptMs;
  expect([await secrets.of(REFERENCE), state.asked]).toEqual(['two', 2]);
});

test('while the vault is away what was known counts on; what never was is refused', async () => {
  const { secrets, state } = world();
  state.isAway = true;
  await expect(secrets.of(REFERENCE)).rejects.toThrow('the vault is sealed');
  state.isAway = false;
  await secrets.of(REFERENCE);
  state.isAway = true;
  state.nowMs += limits.content.secretKeptMs;
  expect(await secrets.of(REFERENCE)).toBe('one');
  state.isAway = false;
  state.value = null;
  expect(await secrets.of(REFERENCE)).toBeNull();
});

test('a request that cannot wait is asked to come again: when the secret is there, and after a while where it is not; once for many', async () => {
  const { secrets, state, timers, warnings, settled } = world();
  state.value = null;
  for (let i = 0; i < 3; i++) {
    expect(secrets.known(REFERENCE)).toBeNull();
    await settled();
  }
  expect([timers.map(({ ms }) => ms), warnings.length, state.told]).toEqual([[limits.content.secretRetryMs], 1, 0]);
  state.value = 'one';
  timers[0]!.run();
  expect([state.told, secrets.known(REFERENCE)]).toEqual([1, null]);
  await settled();
  expect([state.told, secrets.known(REFERENCE)]).toEqual([2, 'one']);
  expect(JSON.stringify(warnings)).not.toContain('one');
});
