/** `/health` and `/ready` of the gateway (docs/contract/common.md §7). */
import { expect, test } from 'vitest';
import { gatewayProbes } from '#runtime/door/probes.ts';
import type { Visit } from '#runtime/door/port.ts';

let ready = true;
const probes = gatewayProbes('1.2.3', () => ready);

function ask(path: string, method = 'GET', accept = ''): unknown[] | null {
  let said: unknown[] | null = null;
  const visit = { path, method, header: () => accept, answer: (...all: unknown[]) => (said = all) };
  expect(probes(visit as unknown as Visit)).toBe(said !== null);
  return said;
}

test('health says the version; ready is text, or JSON where it is asked for, and follows the node', () => {
  expect(ask('/health')).toEqual([200, expect.stringContaining('json'), '{"healthy":true,"version":"1.2.3"}']);
  expect(ask('/ready')).toEqual([200, expect.stringContaining('text/plain'), 'ready:true']);
  expect(ask('/ready', 'HEAD')![0]).toBe(200);
  ready = false;
  expect(ask('/ready')).toEqual([503, expect.stringContaining('text/plain'), 'ready:false']);
  expect(ask('/ready', 'GET', 'application/json')).toEqual([503, expect.stringContaining('json'), '{"ready":false}']);
  ready = true;
});

test('other verbs are refused, other paths are not its own', () => {
  expect(ask('/ready', 'POST')).toEqual([405, 'Allow: GET, HEAD, OPTIONS\n', '']);
  expect(ask('/health', 'OPTIONS')).toEqual([204, 'Allow: GET, HEAD, OPTIONS\n', '']);
  for (const path of ['/', '/readyz', '/health/', '/constructor', '__proto__']) expect(ask(path)).toBeNull();
});
