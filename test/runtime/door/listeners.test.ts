import { expect, test } from 'vitest';
import { resolveText } from '#test/kit/platform-text.ts';
import { compileRoutes } from '#runtime/compile-routes.ts';
import { listenersOf } from '#runtime/door/listeners.ts';

const plans = (text: string) => {
  const platform = resolveText(text);
  return listenersOf(platform, compileRoutes(platform));
};
const paths = (text: string, name: string): string[] =>
  plans(text)
    .find((plan) => plan.name === name)!
    .routes.map((route) => route.path);

test('the gateway comes first and serves every public route under its prefix', () => {
  const [gateway] = plans('gateway: { bind: 127.0.0.1:8080 }');
  expect([gateway!.name, gateway!.host, gateway!.port, gateway!.tls]).toEqual([
    'gateway',
    '127.0.0.1',
    8080,
    undefined,
  ]);
  const all = gateway!.routes.map((route) => route.path);
  expect(all).toContain('/data/rest/{entity}');
  expect(all).toContain('/auth/token');
  expect(all).toContain('/f/{id}');
  expect(all).not.toContain('/metrics');
});

test("a service's own listener has its routes only, without the prefix", () => {
  const text = 'listeners: { data: true, identity: true, intake: true, operations: true }';
  expect(paths(text, 'data')).toContain('/rest/{entity}');
  expect(paths(text, 'data').filter((path) => path.startsWith('/data'))).toEqual([]);
  expect(paths(text, 'identity')).toContain('/auth/token');
  expect(paths(text, 'intake')).toEqual(expect.arrayContaining(['/f/{id}', '/health', '/readyz', '/metrics']));
  expect(paths(text, 'operations')).toEqual([]);
});

test('a closed listener is not there, nor one of a service that this version has not', () => {
  const names = plans('listeners: { intake: false, data: false, vault: true }').map((plan) => plan.name);
  expect(names).not.toContain('intake');
  expect(names).not.toContain('vault');
});

test('the console has the routes that its pages call, under their paths, and the certificate of the gateway', () => {
  expect(paths('listeners: { console: true }', 'console')).toEqual(
    expect.arrayContaining(['/auth/login', '/superadmin/node/health']),
  );
  const rows = (text: string) => paths(text, 'console').filter((path) => !/^\/(auth|superadmin)\//.test(path));
  expect(new Set(rows('listeners: { console: true }'))).toEqual(
    new Set([
      '/data/schema',
      '/data/stateflows',
      '/data/schema/entities',
      '/data/schema/entities/{entity}',
      '/data/schema/openapi.json',
      '/data/stateflow/{name}',
      '/data/actions/{name}',
      '/data/x/{path*}',
      '/data/rest/{entity}',
      '/data/rest/{entity}/search',
      '/data/rest/{entity}/action/{action}',
      '/data/bulk',
      '/data/rest/{entity}/id/{id}',
      '/data/rest/{entity}/id/{id}/restore',
      '/data/admin/data/actions/{name}/explain',
      '/data/admin/data/explain',
      '/data/admin/data/triggers',
      '/data/admin/data/triggers/events',
      '/data/admin/data/triggers/events/{id}/retry',
      '/data/admin/data/submissions',
      '/data/admin/data/submissions/export',
      '/data/admin/data/locks',
      '/data/admin/data/locks/{resource}',
      '/data/admin/data/seeds',
      '/data/admin/data/seeds/runs',
      '/data/admin/data/retention/entities',
      '/data/admin/data/retention/preview',
      '/data/admin/data/retention/runs',
      '/data/changes',
      '/data/contentstore/list',
      '/data/graphql',
      '/content/-/apps',
      '/content/-/apps/{app}/{type}',
      '/content/-/deliveries',
      '/content/-/deliveries/{id}/redeliver',
      '/content/{app}/preview',
      '/content/{app}/{type}',
      '/content/{app}/{type}/{id}',
      '/content/{app}/{type}/{id}/versions',
      '/store/{name}/asset',
      '/store/{name}/asset/{id}',
      '/store/{name}/asset/{id}/image/{size}',
      '/store/{name}/folder',
      '/store/{name}/folder/{id}',
      '/store/{name}/upload',
      '/store/{name}/upload/{id}',
    ]),
  );
  expect(rows('listeners: { console: { tenants: false } }')).toEqual([]);
  const tls = 'gateway: { tls: { cert: /c.pem, key: /k.pem } }\nlisteners: { console: true }';
  expect(plans(tls).find(({ name }) => name === 'console')!.tls).toEqual({ keyFile: '/k.pem', certFile: '/c.pem' });
  expect(plans('listeners: { console: true }').find(({ name }) => name === 'console')!.tls).toBeUndefined();
});

test("TLS is the gateway's", () => {
  const [gateway, ...others] = plans('gateway: { tls: { cert: /c.pem, key: /k.pem } }');
  expect(gateway!.tls).toEqual({ keyFile: '/k.pem', certFile: '/c.pem' });
  expect(others.every((plan) => plan.tls === undefined)).toBe(true);
});
