/** What a cache may keep of an answer at a position names the position: `Vary`, by actors/protocol/caching.ts. */
import { expect, test } from 'vitest';
import { projectFiles } from './project.ts';

/** Their paths belong to the node or to one log, whatever the headers of the position say. */
const OF_NO_POSITION = [
  'actors/identity/jwks.ts',
  'actors/vault/certificate/publish.ts',
  'actors/vault/certificate/jwt-verbs.ts',
  'actors/audit/show.ts',
  'actors/host/signed-url/signed-url.ts', // the position is in the URL, by which caches tell answers apart
];

/** Lines that let something be kept, and do not do it by keptAtPosition(). */
function keptOtherwise({ path, text }: { readonly path: string; readonly text: string }): string[] {
  if (path === 'actors/protocol/caching.ts' || OF_NO_POSITION.includes(path)) return [];
  return text
    .split('\n')
    .filter((line) => /['"]Cache-Control['"]\s*:/.test(line) && !line.includes("'no-store'"))
    .map((line) => `${path}: ${line.trim()}`);
}

test('every answer that may be kept says for which position', () => {
  expect(projectFiles(/^(actors|runtime)\/.*\.ts$/).flatMap(keptOtherwise)).toEqual([]);
});

test('caught: a header that lets an answer be kept for every caller', () => {
  const lines = (text: string, path = 'actors/content/a.ts') => keptOtherwise({ path, text }).length;
  expect(lines("return reply(200, body, { 'Cache-Control': 'public, max-age=60' });")).toBe(1);
  expect(lines("const headers = { 'Cache-Control': `max-age=${age}` };")).toBe(1);
  expect(lines("const NO_STORE = { 'Cache-Control': 'no-store' };")).toBe(0);
  expect(lines("return reply(200, keys, { 'Cache-Control': 'public, max-age=60' });", 'actors/identity/jwks.ts')).toBe(
    0,
  );
});
