/** `channels` of `product.yaml`: what is declared, and what is found wrong in it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { loadProduct } from '#config/definitions/load-product.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-channels-'));
  mkdirSync(join(dir, 'entities'));
  writeFileSync(join(dir, 'entities', 'note.yaml'), 'entities:\n  note:\n    fields: { title: { type: string } }\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function load(channels: string) {
  const text = `name: shop\nroles: { clerk: sorts mail }\nchannels:\n  ${channels.replaceAll('\n', '\n  ')}\n`;
  writeFileSync(join(dir, 'product.yaml'), text);
  return loadProduct(dir);
}

function problemOf(channels: string): string {
  const loaded = load(channels);
  if (!('problems' in loaded)) throw new Error('no problem');
  expect(loaded.problems).toHaveLength(1);
  const [{ path, message, mend, line }] = loaded.problems as [(typeof loaded.problems)[number]];
  expect(line).toBeGreaterThan(2);
  return `${path}: ${message}; ${mend}`;
}

test('channels are kept as they are declared', () => {
  const loaded = load(
    'desk: { entity: note, join: { roles: [clerk] }, presence: true }\n' +
      'news: { keyed: true, join: { users: true }, send: { services: true }, bytes: 100 }',
  );
  expect('product' in loaded && loaded.product.settings.channels).toEqual({
    desk: { entity: 'note', join: { roles: ['clerk'] }, presence: true },
    news: { keyed: true, join: { users: true }, send: { services: true }, bytes: 100 },
  });
});

test.each([
  ['desk: { presence: true }', /join/],
  ['desk: { join: {}, presence: true }', /^channels\.desk\.join: it admits no caller; .*users: true/],
  ['desk: { join: { roles: [] }, presence: true }', /it admits no caller/],
  ['desk: { join: { users: true }, send: { users: false } }', /^channels\.desk\.send: it admits no caller/],
  ['desk: { join: { users: true } }', /^channels\.desk: nothing is ever told in this channel; .*presence: true/],
  ['desk: { join: { roles: [clerc] }, presence: true }', /^channels\.desk\.join\.roles\[0\]: .*"clerc".*declare it/],
  ['desk: { entity: nte, join: { users: true }, presence: true }', /^channels\.desk\.entity: there is no entity "nte"/],
  [
    'desk: { entity: note, keyed: false, join: { users: true }, presence: true }',
    /^channels\.desk\.keyed: a channel of an entity has keys; remove/,
  ],
  [
    `desk: { join: { users: true }, presence: true, bytes: ${limits.channels.messageBytesMax + 1} }`,
    /^channels\.desk\.bytes/,
  ],
  ['Desk: { join: { users: true }, presence: true }', /use lower-case letters, digits, _ and -, at most 63 characters/],
])('%s', (channels, problem) => {
  expect(problemOf(channels)).toMatch(problem);
});

test('a product declares a bounded number of channels', () => {
  const channelsOf = (count: number): string =>
    Array.from({ length: count }, (_, n) => `c${n}: { join: { users: true }, presence: true }`).join('\n');
  expect('product' in load(channelsOf(limits.channels.channelsMax))).toBe(true);
  expect(problemOf(channelsOf(limits.channels.channelsMax + 1))).toContain(`at most ${limits.channels.channelsMax}`);
});
