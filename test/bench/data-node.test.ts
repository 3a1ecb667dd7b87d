import { expect, test } from 'vitest';
import { settingsText } from '#bench/kit/data-node.ts';

const place = (hosts?: number) => ({ dataDir: '/data', options: { hosts } });

test("a node has the bench's hosts, else the case's, else the product's", () => {
  expect(settingsText(place(), {})).toBe('');
  expect(settingsText(place(2), {})).toBe('hosts: 2\n');
  expect(settingsText(place(), { hosts: 1, more: 'jobs: { threads: 1 }' })).toBe('hosts: 1\njobs: { threads: 1 }');
  expect(settingsText(place(2), { hosts: 1, more: 'a: 1' })).toBe('hosts: 2\na: 1');
});
