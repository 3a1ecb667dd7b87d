import { expect, test } from 'vitest';
import type { CompiledRoute } from '#actors/host/call.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import { AccessLog } from '#runtime/door/access-log.ts';
import type { Answered } from '#runtime/door/gate-ports.ts';
import type { LineFields } from '#runtime/observe/request-lines.ts';

const position = parsePosition('acme:shop:dev:main')!;
const request = {
  visit: { method: 'POST', path: '/auth/reset/a-secret-token', query: 'email=a@example.com' },
  requestId: 'r-1',
  route: { service: 'identity', row: { path: '/auth/reset/{token}' } } as unknown as CompiledRoute,
  tenant: { no: 2, position, shard: 0, state: 'active', localdir: null },
  trace: null,
} as unknown as Answered;

function log(oneIn: number) {
  const lines: LineFields[] = [];
  const access = new AccessLog(
    { oneIn, slowSeconds: 1 },
    { add: (fields) => void lines.push(fields), flush: () => undefined },
  );
  return { access, lines };
}

test('a line names the declared route, the tenant, the status and the time, and nothing that the caller sent', () => {
  const { access, lines } = log(1);
  access.add(request, 204, 0.0123456, false);
  expect(lines).toEqual([
    {
      method: 'POST',
      route: '/auth/reset/{token}',
      tenant: 'acme:shop:dev:main',
      status: 204,
      ms: 12.346,
      by: 'identity',
      request_id: 'r-1',
    },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/secret|example/);
});

test('a request without a route or a tenant has empty names; by: the door, when no thread was asked', () => {
  const { access, lines } = log(1);
  access.add({ ...request, route: null, tenant: undefined }, 404, 0, true);
  access.add(request, 429, 0, true);
  expect(lines).toMatchObject([
    { route: '', tenant: '', by: 'door' },
    { route: '/auth/reset/{token}', by: 'door' },
  ]);
});

test.each([
  [3, 3],
  [1, 10],
  [0, 0],
])('one in %i of ten has a line', (oneIn, expected) => {
  const { access, lines } = log(oneIn);
  for (let i = 0; i < 10; i++) access.add(request, 200, 0.001, false);
  expect(lines).toHaveLength(expected);
});

test('slow and failed answers have a line in any case', () => {
  const { access, lines } = log(0);
  access.add(request, 200, 1, false);
  access.add(request, 200, 1.001, false);
  access.add(request, 499, 0, false);
  access.add(request, 500, 0, false);
  expect(lines.map(({ status, ms }) => [status, ms])).toEqual([
    [200, 1001],
    [500, 0],
  ]);
});

test('the line of a traced request names its trace', () => {
  const { access, lines } = log(1);
  const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentId: '', tracestate: '', link: null };
  access.add({ ...request, trace }, 200, 0.001, false);
  expect(lines).toMatchObject([{ request_id: 'r-1', trace_id: trace.traceId }]);
});
