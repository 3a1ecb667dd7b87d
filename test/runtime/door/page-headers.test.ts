/** Which routes pages of other origins may call, and what they may send there: from the rows of all services. */
import { describe, expect, test } from 'vitest';
import { anyone, callers } from '#actors/protocol/callers.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { compileRoutes } from '#runtime/compile-routes.ts';
import { isForPages, sendableHeaders } from '#runtime/door/page-headers.ts';
import { resolveText } from '#test/kit/platform-text.ts';

const routes = compileRoutes(resolveText('audit: { enabled: true }'));
const pathsOf = (of: readonly CompiledRoute[]): string[] => [...new Set(of.map(({ row }) => row.path))].sort();
const closed = routes.filter((route) => !isForPages(route));

describe('routes that no page may call', () => {
  test('the vault, intake, and what only the own listener of a service has', () => {
    const services = closed.filter(({ row }) => row.listener !== 'own').map(({ service }) => service);
    expect(routes.filter(({ service }) => service === 'vault' || service === 'intake').filter(isForPages)).toEqual([]);
    expect(routes.filter(({ row }) => row.listener === 'own').filter(isForPages)).toEqual([]);
    expect([...new Set(services)].sort()).toEqual(['data', 'identity', 'intake']);
  });

  test("operators', the node's own, and the first superadmin's", () => {
    const ofServices = closed.filter(({ service, row }) => service !== 'intake' && row.listener !== 'own');
    expect(pathsOf(ofServices).filter((path) => !path.startsWith('/data/superadmin/tenant/'))).toEqual([
      '/auth/bootstrap',
      '/data/superadmin/tenant',
      '/internal/session/list',
      '/internal/session/revoke',
      '/internal/session/rotate',
      '/superadmin/deploy/revisions',
      '/superadmin/deploy/tenants',
      '/superadmin/deploy/tenants/{tenant}/plans',
      '/superadmin/deploy/tenants/{tenant}/plans/{id}/apply',
      '/superadmin/impersonate',
      '/superadmin/node/buckets',
      '/superadmin/node/cluster',
      '/superadmin/node/configuration',
      '/superadmin/node/figures',
      '/superadmin/node/health',
      '/superadmin/node/load',
      '/superadmin/node/logs',
      '/superadmin/node/slow',
      '/superadmin/node/tenants',
      '/superadmin/node/vault',
      '/superadmin/registry/tenants',
      '/superadmin/registry/tenants/{key}/locks',
      '/superadmin/registry/tenants/{key}/locks/{resource}',
      '/superadmin/registry/tenants/{key}/plans',
      '/superadmin/registry/tenants/{key}/plans/{id}',
      '/superadmin/registry/tenants/{key}/plans/{id}/apply',
      '/superadmin/registry/tenants/{key}/provision',
      '/superadmin/registry/tenants/{key}/retention/entities',
      '/superadmin/registry/tenants/{key}/retention/preview',
      '/superadmin/registry/tenants/{key}/retention/runs',
      '/superadmin/registry/tenants/{key}/seeds',
      '/superadmin/registry/tenants/{key}/seeds/runs',
    ]);
  });

  test('no other route counts the callers of a plane alone', () => {
    const ofPlanes = ({ row }: CompiledRoute): boolean =>
      row.callers.users.length > 0 &&
      row.callers.users.every(({ from }) => ['over', 'plane', 'control'].includes(from));
    expect(pathsOf(routes.filter(isForPages).filter(ofPlanes))).toEqual([]);
  });
});

describe('what a page may send', () => {
  const row = (more: Partial<RouteRow>): RouteRow => ({
    methods: ['GET'],
    path: '/a',
    position: 'none',
    callers: anyone(),
    body: 'none',
    ack: 'fsync',
    replies: {},
    refusals: [],
    summary: '',
    ...more,
  });

  test('a request id everywhere; position, credential and type of the body where the row takes them', () => {
    expect(sendableHeaders([row({})])).toBe('X-Request-Id');
    expect(sendableHeaders([row({ position: 'host' })])).toBe('X-Customer, X-Env, X-Product, X-Request-Id, X-Tenant');
    expect(sendableHeaders([row({ callers: callers({ users: [{}] }) })])).toBe('Authorization, X-Request-Id');
    expect(sendableHeaders([row({ body: 'stream' })])).toBe('Content-Type, X-Request-Id');
  });

  test("what the rows name, each once, without the door's own marks and without what browsers write", () => {
    const headers = [':ip', ':verb', 'if-match', 'origin', 'user-agent', 'referer', 'x-api-key'];
    const rows = [row({ headers }), row({ headers: ['if-match'], queryHeaders: ['range'] })];
    expect(sendableHeaders(rows)).toBe('If-Match, Range, X-Api-Key, X-Request-Id');
  });

  test('whatever a route for pages reads, a page may send', () => {
    for (const { row: it } of routes.filter(isForPages)) {
      const sendable = sendableHeaders([it]).toLowerCase().split(', ');
      const read = [...(it.headers ?? []), ...(it.queryHeaders ?? [])].filter((name) => !name.startsWith(':'));
      expect(sendable).toEqual(
        expect.arrayContaining(read.filter((name) => !['origin', 'referer', 'user-agent'].includes(name))),
      );
    }
  });
});
