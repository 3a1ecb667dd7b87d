/** CORS of the services per product, over visits that are plain values: docs/contract/platform.md §3.4. */
import { describe, expect, test } from 'vitest';
import type { CompiledRoute } from '#actors/host/call.ts';
import { compileRouter } from '#actors/protocol/router.ts';
import { compileRoutes } from '#runtime/compile-routes.ts';
import { Arrival } from '#runtime/door/arrival.ts';
import { PageOrigins } from '#runtime/door/page-origins.ts';
import type { Visit } from '#runtime/door/port.ts';
import { resolveText } from '#test/kit/platform-text.ts';

const SHOP = 'https://shop.example';
const CRM = 'https://crm.example';
const BOTH = 'https://both.example:8443';
const platform = resolveText(`audit: { enabled: true }
hives:
  tenant:
    - { key: "acme:shop:dev:main", meta: { localdir: . } }
    - { key: "acme:crm:dev:main", meta: { localdir: . } }
gateway:
  cors:
    shop: { origins: ["${SHOP}", "${BOTH}"] }
    crm: { origins: ["${CRM}", "${BOTH}"] }
`);
const routes = compileRoutes(platform);
const router = compileRouter(
  routes
    .filter(({ row }) => row.listener !== 'own')
    .map(({ no, row }) => ({ no, methods: row.methods, path: row.path, emptyParams: row.emptyParams ?? false })),
);
const pages = PageOrigins.of(platform, routes)!;

type Fields = Readonly<Record<string, string>>;
const at = (product: string, tenant = 'main'): Fields => ({ 'x-product': product, 'x-tenant': tenant });

interface Seen {
  readonly visit: Visit;
  readonly asked: string[];
  sent: string;
}

function visitOf(method: string, path: string, fields: Fields): Seen {
  const seen: Seen = { visit: {} as Visit, asked: [], sent: '' };
  const header = (name: string): string => {
    seen.asked.push(name);
    return fields[name] ?? '';
  };
  const answer = (_status: number, headers: string): void => void (seen.sent = headers);
  const beginAnswer = (status: number, headers: string): void => answer(status, headers);
  return Object.assign(seen, { visit: { method, path, query: '', header, answer, beginAnswer } as unknown as Visit });
}

function arrivalOf(visit: Visit): { readonly arrival: Arrival; readonly route: CompiledRoute } {
  const match = router.find(visit.path, visit.method)!;
  const route = routes[match.methods[visit.method]!]!;
  return { arrival: new Arrival(visit, 'id', route, 0, match.params, () => ''), route };
}

/** The lines of an answer to a request, as they leave. */
function answered(path: string, fields: Fields, headers = '', method = 'GET'): string {
  const seen = visitOf(method, path, fields);
  pages.dress(arrivalOf(seen.visit).arrival).answer(200, headers, '');
  return seen.sent;
}

const allowed = (origin: string, expose = 'X-Request-Id'): string =>
  `Vary: Origin\nAccess-Control-Allow-Origin: ${origin}\nAccess-Control-Expose-Headers: ${expose}\n`;
const REFUSED = 'Vary: Origin\n';

describe('an answer', () => {
  test('is read by pages of the origins that the product of its position lists', () => {
    expect(answered('/data/rest/item', { origin: SHOP, ...at('shop') })).toBe(allowed(SHOP));
    expect(answered('/data/rest/item', { origin: CRM, ...at('crm') })).toBe(allowed(CRM));
    for (const product of ['shop', 'crm'])
      expect(answered('/data/rest/item', { origin: BOTH, ...at(product) })).toBe(allowed(BOTH));
  });

  test('is not read by a page of an origin that another product lists, nor without a product', () => {
    expect(answered('/data/rest/item', { origin: CRM, ...at('shop') })).toBe(REFUSED);
    expect(answered('/data/rest/item', { origin: SHOP, ...at('constructor') })).toBe(REFUSED);
    expect(answered('/data/rest/item', { origin: SHOP })).toBe(REFUSED);
  });

  test.each(['null', '*', 'https://shop.example.evil.example', `${SHOP}:443`, `${SHOP}/`, 'HTTPS://shop.example', ' '])(
    'no origin is given back that is not on a list: %s',
    (origin) => expect(answered('/data/rest/item', { origin, ...at('shop') })).toBe(REFUSED),
  );

  test('is not read at the plane of its operators', () => {
    expect(answered('/auth/login', { origin: SHOP, ...at('shop', 'superadmin') }, '', 'POST')).toBe(REFUSED);
    expect(answered('/auth/login', { origin: SHOP, ...at('superadmin', 'superadmin') }, '', 'POST')).toBe(REFUSED);
    expect(answered('/data/rest/item', { origin: SHOP, ...at('shop', 'shared') })).toBe(allowed(SHOP));
  });

  test('of a route without a position is read by pages of every listed origin', () => {
    for (const origin of [SHOP, CRM]) expect(answered('/.well-known/jwks.json', { origin })).toBe(allowed(origin));
    expect(answered('/.well-known/jwks.json', { origin: 'https://evil.example' })).toBe(REFUSED);
  });

  test('of a log is read by pages of the product whose tenant the log is of', () => {
    const log = (name: string): string => `/audit/logs/${encodeURIComponent(name)}/records`;
    expect(answered(log('tenant/acme/shop/dev/main'), { origin: SHOP })).toBe(allowed(SHOP));
    expect(answered(log('tenant/acme/shop/dev/main'), { origin: CRM, ...at('crm') })).toBe(REFUSED);
    for (const name of ['tenant/acme/shop/dev/superadmin', 'node/main', 'vault/dc1/main', 'tenant/shop'])
      expect(answered(log(name), { origin: BOTH })).toBe(REFUSED);
    expect(answered('/audit/logs/%zz/records', { origin: BOTH })).toBe(REFUSED);
    expect(answered('/audit/logs', { origin: SHOP })).toBe(allowed(SHOP));
  });

  test('exposes the headers that it has, but for those that every page may read', () => {
    const lines = 'Content-Type: a/b\nETag: "1"\nLink: </x>; rel="next"\nCache-Control: no-cache\nVary: X-Tenant\n';
    expect(answered('/data/rest/item', { origin: SHOP, ...at('shop') }, lines)).toBe(
      `${lines}${allowed(SHOP, 'ETag, Link, X-Request-Id')}`,
    );
    expect(answered('/data/rest/item', { origin: CRM, ...at('shop') }, lines)).toBe(`${lines}${REFUSED}`);
  });

  test('in pieces has the same head', () => {
    const seen = visitOf('GET', '/data/rest/item', { origin: SHOP, ...at('shop') });
    const sink = { taken: () => undefined, gone: () => undefined };
    pages.dress(arrivalOf(seen.visit).arrival).beginAnswer(200, 'ETag: "1"\n', 5, sink, 'id');
    expect(seen.sent).toBe(`ETag: "1"\n${allowed(SHOP, 'ETag, X-Request-Id')}`);
  });

  test('without Origin is what it was, after one look for the header', () => {
    const seen = visitOf('GET', '/data/rest/item', at('shop'));
    expect(pages.dress(arrivalOf(seen.visit).arrival)).toBe(seen.visit);
    expect(seen.asked).toEqual(['origin']);
  });

  test('of a route that is not for pages is what it was, whatever the origin', () => {
    for (const path of ['/superadmin/impersonate', '/internal/session/list', '/auth/bootstrap', '/f/contact']) {
      const seen = visitOf('POST', path, { origin: BOTH, ...at('shop') });
      expect(pages.dress(arrivalOf(seen.visit).arrival)).toBe(seen.visit);
      expect(seen.asked).toEqual([]);
    }
  });
});

describe('an answer that caches may keep', () => {
  const kept = (path: string, lines: string, method = 'GET'): string =>
    pages.kept(arrivalOf(visitOf(method, path, {}).visit).route, lines);

  test('varies by Origin, also when no page asked for it, and says so once', () => {
    const lines = 'Cache-Control: public, max-age=60\nVary: X-Tenant\n';
    expect(kept('/.well-known/jwks.json', lines)).toBe(`${lines}${REFUSED}`);
    const dressed = kept('/data/rest/item', lines);
    expect(answered('/data/rest/item', { origin: CRM, ...at('shop') }, dressed)).toBe(dressed);
  });

  test('others do not', () => {
    for (const lines of ['ETag: "1"\n', 'Cache-Control: no-store\n', ''])
      expect(kept('/data/rest/item', lines)).toBe(lines);
    const lines = 'Cache-Control: max-age=60\n';
    expect(kept('/f/contact', lines, 'POST')).toBe(lines);
  });
});

describe('a preflight', () => {
  const asks = (path: string, origin: string, fields: Fields = { 'access-control-request-method': 'PUT' }) =>
    pages.preflight(visitOf('OPTIONS', path, { origin, ...fields }).visit, router.find(path, 'OPTIONS')!.methods);

  test('is answered for every listed origin, with the verbs of the path and the headers that they read', () => {
    for (const origin of [SHOP, CRM, BOTH])
      expect(asks('/data/rest/item/id/1', origin)).toBe(
        `Vary: Origin\nAccess-Control-Allow-Origin: ${origin}\nAccess-Control-Allow-Methods: GET, HEAD, PUT, PATCH, DELETE\n` +
          'Access-Control-Allow-Headers: Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range, X-Customer, X-Env, X-Product, X-Request-Id, X-Tenant\n' +
          'Access-Control-Max-Age: 600\n',
      );
    expect(asks('/auth/login', SHOP)).toContain('Access-Control-Allow-Methods: POST\n');
    expect(asks('/audit/logs', SHOP)).toContain('Access-Control-Allow-Headers: Authorization, X-Request-Id\n');
  });

  test('never allows credentials', () => {
    expect(asks('/auth/login', SHOP)).not.toContain('Credentials');
    expect(answered('/auth/login', { origin: SHOP, ...at('shop') }, '', 'POST')).not.toContain('Credentials');
  });

  test('is none without the method that it asks for, nor of another origin, nor at a path that is not for pages', () => {
    expect(asks('/auth/login', SHOP, {})).toBeNull();
    for (const origin of ['https://evil.example', 'null', '']) expect(asks('/auth/login', origin)).toBeNull();
    for (const path of ['/superadmin/impersonate', '/data/superadmin/tenant', '/auth/bootstrap', '/f/contact'])
      expect(asks(path, BOTH)).toBeNull();
  });
});

describe('a verb that the path does not have', () => {
  const other = (path: string, origin: string): string => {
    const seen = visitOf('PUT', path, { origin });
    pages.dressOther(seen.visit, router.find(path, 'PUT')!.methods).answer(405, 'Allow: POST, OPTIONS\n', '');
    return seen.sent;
  };

  test('is refused readably to pages of every listed origin', () => {
    const lines = 'Allow: POST, OPTIONS\n';
    expect(other('/auth/login', CRM)).toBe(`${lines}${allowed(CRM, 'Allow, X-Request-Id')}`);
    expect(other('/auth/login', 'https://evil.example')).toBe(`${lines}${REFUSED}`);
    for (const [path, origin] of [
      ['/auth/login', ''],
      ['/superadmin/impersonate', CRM],
    ] as const)
      expect(other(path, origin)).toBe(lines);
  });
});

test('where no product lists an origin, nothing looks at Origin', () => {
  expect(PageOrigins.of(resolveText(''), routes)).toBeNull();
  const none = 'hives: {tenant: [{key: "a:b:c:d", meta: {localdir: .}}]}\ngateway: {cors: {b: {origins: []}}}';
  expect(PageOrigins.of(resolveText(none), routes)).toBeNull();
});
