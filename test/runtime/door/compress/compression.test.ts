/** Which requests get compressed answers: docs/contract/platform.md §3.9, docs/decisions/runtime.md RT-35. */
import { describe, expect, test } from 'vitest';
import { compileRoutes } from '#runtime/compile-routes.ts';
import { CompressingVisit } from '#runtime/door/compress/compressing-visit.ts';
import { Compression } from '#runtime/door/compress/compression.ts';
import { mayBeCompressed } from '#runtime/door/compress/compressed-rows.ts';
import type { Visit } from '#runtime/door/port.ts';
import { Sites } from '#runtime/door/sites.ts';
import type { SiteVisit } from '#runtime/door/site-visit.ts';
import { resolveText } from '#test/kit/platform-text.ts';

const TEXT = `hives:
  tenant:
    - { key: "acme:shop:dev:main", meta: { localdir: . } }
gateway:
  sites: { shop.example: { tenant: "acme:shop:dev:main", cookies: true } }
`;
const platform = resolveText(TEXT);
const routes = compileRoutes(platform);
const compression = Compression.of(platform, routes)!;
const routeOf = (service: string, name: string) =>
  routes.find((route) => route.service === service && route.name === name)!;
const LIST = routeOf('data', 'list');

function visitOf(fields: Readonly<Record<string, string>>): Visit {
  const header = (name: string): string => fields[name] ?? '';
  return { method: 'GET', path: '/', query: '', began: 0, header, headers: header } as unknown as Visit;
}

const isDressed = (visit: Visit, route = LIST): boolean =>
  compression.dress({ route, visit }, visit) instanceof CompressingVisit;

test('without Accept-Encoding there is no object more', () => {
  expect(isDressed(visitOf({}))).toBe(false);
  expect(isDressed(visitOf({ 'accept-encoding': 'gzip' }))).toBe(true);
});

test('a platform file that says no gets no compression', () => {
  const off = resolveText(TEXT.replace('gateway:\n', 'gateway:\n  compression: { enabled: false }\n'));
  expect(Compression.of(off, routes)).toBeNull();
});

describe('answers that may hold a secret are left out', () => {
  test('whole services', () => {
    const left = routes.filter(({ service }) => ['identity', 'vault', 'intake', 'bff'].includes(service));
    expect(left.length).toBeGreaterThan(100);
    expect(left.filter(mayBeCompressed)).toEqual([]);
  });

  test('and of the others each route that gives a secret or what a script says, and the stream whose events leave one by one', () => {
    const left = routes.filter(
      (route) => ['data', 'content', 'audit'].includes(route.service) && !mayBeCompressed(route),
    );
    expect(left.map(({ service, name }) => `${service}.${name}`).sort()).toEqual([
      'content.asset_sign',
      'content.preview',
      'data.changes',
      'data.changes_ticket',
      'data.channel_join',
      'data.endpoint',
      'data.endpoint_root',
      'data.endpoint_slash',
      'data.graphql_live',
      'data.live',
      'data.sign',
    ]);
  });

  test('a new route whose answer has a token or a signed URL has to say so', () => {
    const secret = /token|secret|signed/i;
    const open = routes.filter(mayBeCompressed).filter(({ row }) =>
      Object.values(row.replies).some((shape) => {
        const fields = Object.keys((shape as { shape?: object } | null)?.shape ?? {});
        return fields.some((field) => secret.test(field)) || (fields.includes('url') && fields.includes('expires_at'));
      }),
    );
    expect(open.map(({ service, name }) => `${service}.${name}`)).toEqual([]);
  });
});

test('at a site, a request by cookie that another page may have sent is answered plainly', () => {
  const at = (fields: Readonly<Record<string, string>>, byCookie: boolean): boolean => {
    const visit = Sites.of(platform)!.at(visitOf({ host: 'shop.example', 'accept-encoding': 'br', ...fields }));
    (visit as SiteVisit).dependsOnCookie(byCookie);
    return isDressed(visit);
  };
  expect(at({}, false)).toBe(true);
  expect(at({ 'sec-fetch-site': 'same-origin' }, true)).toBe(true);
  for (const site of ['', 'none', 'same-site', 'cross-site']) expect(at({ 'sec-fetch-site': site }, true)).toBe(false);
});
