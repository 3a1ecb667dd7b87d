/** How large the client is where a page loads it, and that nothing but itself is in it. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import * as whole from '#client/index.ts';
import { ROOT } from '#runtime/place.ts';
import { bundled } from '#test/kit/bundled-client.ts';

const CORE_BYTES_MAX = 6 * 1024;
const ALL_BYTES_MAX = 16 * 1024;
const HOOKS_BYTES_MAX = 3 * 1024;

const packedBytes = async (source: string): Promise<number> => gzipSync(await bundled(source), { level: 9 }).length;

test('createClient with logins and rows is at most 6 KB, all of it at most 16 KB', async () => {
  const core = await packedBytes(`export { createClient } from '${ROOT}client/index.ts';`);
  const all = await packedBytes(`export * from '${ROOT}client/index.ts';`);
  console.log(
    `@skep/client, minified and gzipped: ${core} bytes with createClient alone, ${all} bytes with everything`,
  );
  expect(core).toBeGreaterThan(1000);
  expect(core).toBeLessThanOrEqual(CORE_BYTES_MAX);
  expect(all).toBeLessThanOrEqual(ALL_BYTES_MAX);
});

test('hooks are at most 3 KB beside the client, React and TanStack Query, and in no bundle that does not import them', async () => {
  const outside = ['react', '@tanstack/react-query'];
  const hooks = `export * from '${ROOT}client/react/index.ts';`;
  // What the hooks take of the client counts as the client's.
  const client = `export { channel, createClient } from '${ROOT}client/index.ts';`;
  const sizeOf = async (source: string) => gzipSync(await bundled(source, outside), { level: 9 }).length;
  const beside = (await sizeOf(client + hooks)) - (await sizeOf(client));
  console.log(`@skep/client/react, minified and gzipped: ${beside} bytes beside the client, React and TanStack Query`);
  expect(beside).toBeGreaterThan(500);
  expect(beside).toBeLessThanOrEqual(HOOKS_BYTES_MAX);
  expect(await bundled(hooks, outside)).toContain('@tanstack/react-query');
  expect(await bundled(`export * from '${ROOT}client/index.ts';`, outside)).not.toMatch(/react|tanstack/i);
});

test('what is not used is not there', async () => {
  const one = await bundled(`export { isSkepError } from '${ROOT}client/index.ts';`);
  expect(one).not.toContain('Idempotency-Key');
  expect(await bundled(`import '${ROOT}client/index.ts';`)).not.toContain('Idempotency-Key');
});

test('it is one file that imports nothing', async () => {
  const all = await bundled(`export * from '${ROOT}client/index.ts';`);
  expect(all).not.toMatch(/\bimport\b|\brequire\b|node:|process\./);
  expect(Object.keys(whole).sort()).toEqual([
    'SkepError',
    'beginSignIn',
    'bff',
    'bulk',
    'channel',
    'content',
    'createClient',
    'files',
    'finishSignIn',
    'isSkepError',
    'logInWithPasskey',
    'offlineQueue',
    'prove',
    'registerPasskey',
    'shareChanges',
    'stateflow',
    'submitForm',
    'versionOf',
  ]);
});
