import { expect, test } from 'vitest';
import { profileThreads } from '#runtime/debug/thread-inspector.ts';

test('one profile at a time, and none out of bounds', async () => {
  for (const ms of [0, -1, 1.5, 60_001]) await expect(profileThreads(ms)).rejects.toThrow('a profile takes');
  const first = profileThreads(50);
  await expect(profileThreads(50)).rejects.toThrow('is being made');
  expect(await first).toHaveProperty(['main', 'profile', 'nodes']);
  expect(await profileThreads(1)).toHaveProperty(['main', 'profile']);
});
