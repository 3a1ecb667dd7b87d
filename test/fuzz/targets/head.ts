/** The head of a request, as anybody sends it. */
import { isIP } from 'node:net';
import type { CompiledRoute } from '#actors/host/call.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { bySocket } from '#runtime/door/caller-address.ts';
import type { Visit } from '#runtime/door/port.ts';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must } from './must.ts';

/** Lines `name: value`, as a server hands them over. */
function fieldsIn(input: Buffer): [string, string][] {
  return input
    .toString('latin1')
    .split('\n')
    .map((line) => {
      const colon = line.indexOf(':');
      return [
        line.slice(0, colon < 0 ? undefined : colon).toLowerCase(),
        colon < 0 ? '' : line.slice(colon + 1).trim(),
      ];
    });
}

const ADDRESSES = [
  '192.0.2.7',
  '[2001:db8::1]:80',
  '::ffff:10.0.0.1',
  'unknown',
  '_hidden',
  '1.2.3.4:99999',
  'fe80::1%eth0',
];

export async function forwardedTarget(): Promise<Target> {
  const { forwarded, forwardedFor } = await import('#runtime/door/forwarded.ts');
  const { callerIp } = await import('#runtime/door/caller-ip.ts');
  const isAddress = (hop: string): boolean => hop === '' || (isIP(hop) !== 0 && callerIp(hop) === hop);
  return {
    name: 'forwarded',
    form: 'text',
    covers: ['/runtime/door/forwarded.ts', '/runtime/door/caller-ip.ts'],
    seeds: [
      ...ADDRESSES,
      '192.0.2.60, 198.51.100.17,[2001:db8:cafe::17]:4711 , unknown',
      'for=192.0.2.60;proto=http;by=203.0.113.43, for="[2001:db8:cafe::17]:4711"',
      'For="\\[2001:db8::1\\]";host="a\\"b", for=_gazonk',
    ],
    words: ['for=', '"', ';', ',', 'proto=https', '\\', ...ADDRESSES],
    bytesMax: 8192,
    stepsMax: linear(200, 30),
    run: (input) => {
      const text = input.toString('latin1');
      for (const hop of [...forwardedFor(text), ...(forwarded(text) ?? [])])
        must(isAddress(hop), `${hop} is no address in its shortest form`);
    },
  };
}

const SITE = {
  host: 'shop.example',
  position: { customer: 'acme', product: 'shop', env: 'dev', tenant: 'main', key: 'acme:shop:dev:main' },
  cookies: true,
  web: false,
  compressed: false,
};
const COOKIE_LINE = '__Host-skep-access=v4.public.AAAA.BBBB; __Host-skep-refresh=r1.abc-_; theme=dark';
const BEARER = /^Bearer [A-Za-z0-9._-]+$/;
/** Names that begin with a colon are the door's own: no header of a request has one. */
const EXTRA = /^(?::[a-z]+:[A-Za-z0-9._-]*\n)*$/;

/** The framing of a request and the login in its cookies: what a thread is given is one token, and lines that hold nothing else. */
export async function cookiesTarget(): Promise<Target> {
  const { HeaderFields, CHUNKED } = await import('#runtime/door/header-fields.ts');
  const { SessionCookies } = await import('#runtime/door/session-cookies.ts');
  const { SiteVisit } = await import('#runtime/door/site-visit.ts');
  const { Arrival } = await import('#runtime/door/arrival.ts');
  const { routes: rows } = await import('#actors/identity/routes.ts');
  const routes: CompiledRoute[] = Object.entries<RouteRow>(rows).map(([name, row], no) => ({
    no,
    name,
    service: 'identity',
    row,
    paramNames: [],
  }));
  const cookies = new SessionCookies(routes);
  const run = (input: Buffer): void => {
    const fields = new HeaderFields();
    for (const [name, value] of fieldsIn(input)) fields.add(name, value);
    must([0, 400, 431].includes(fields.fault('POST')), 'an undeclared status');
    must(fields.bodyLength === CHUNKED || fields.bodyLength >= 0, 'a body of a negative length');
    const head = { method: 'POST', path: '/', query: '', began: 0, aborted: false };
    const visit = { ...head, header: (name) => fields.get(name), headers: (name) => fields.all(name) } as Visit;
    for (const route of routes) {
      const arrival = new Arrival(new SiteVisit(visit, SITE), 'r1', route, 0, '', bySocket);
      cookies.read(arrival);
      must(arrival.authorization === '' || BEARER.test(arrival.authorization), `a bearer ${arrival.authorization}`);
      must(EXTRA.test(arrival.extra), `lines for the thread: ${arrival.extra}`);
    }
  };
  return {
    name: 'cookies',
    form: 'text',
    covers: ['/runtime/door/', '/actors/protocol/cookies.ts'],
    seeds: [
      `host: shop.example\norigin: https://shop.example\nsec-fetch-site: same-origin\ncookie: ${COOKIE_LINE}`,
      `host: shop.example\nx-skep-cookies: 1\norigin: https://shop.example\ncontent-length: 12\ncookie: ${COOKIE_LINE}`,
      'host: localhost:8080\ntransfer-encoding: chunked\nx-tenant: main\nauthorization: Bearer a.b.c',
    ],
    words: [
      'cookie: ',
      '__Host-skep-access=',
      '__Host-skep-refresh=',
      '; ',
      'same-origin',
      'host: ',
      'content-length: ',
      '\n',
      '\r',
      '=',
    ],
    bytesMax: 16_384,
    stepsMax: linear(60_000, 300),
    run,
  };
}

/** Headers that are read for themselves, each on a line of its own. */
export async function headersTarget(): Promise<Target> {
  const { parseTraceparent, parseTracestate, writeTraceparent } = await import('#actors/kit/trace/trace-context.ts');
  const { rangeOf } = await import('#actors/kit/file/range.ts');
  const { disposition } = await import('#actors/kit/file/disposition.ts');
  const { namesTag } = await import('#actors/kit/file/entity-tag.ts');
  const { parsePosition } = await import('#actors/protocol/position.ts');
  const { positionOfQuery, positionOfTicket } = await import('#runtime/door/query-position.ts');
  const { apiKeyOf, formatApiKey, parseApiKey } = await import('#actors/kit/api-key.ts');
  const { readAnswer } = await import('#actors/kit/captcha/altcha.ts');
  const readers: readonly ((text: string) => void)[] = [
    (text) => {
      const found = parseTraceparent(text);
      if (found !== null)
        must(parseTraceparent(writeTraceparent(found.traceId, found.parentId))?.traceId === found.traceId, 'the trace');
      must(/^[\x20-\x7e]*$/.test(parseTracestate(text)), 'a tracestate that no header can hold');
    },
    (text) => {
      const range = rangeOf(text, 1000);
      if (range != null) must(range.from >= 0 && range.from < range.to && range.to <= 1000, JSON.stringify(range));
    },
    (text) => must(/^[\x20-\x7e]+$/.test(disposition('inline', text)), 'a disposition that no header can hold'),
    (text) => void namesTag(text, '"a"'),
    (text) => {
      const position = parsePosition(text);
      if (position !== null) must(position.key === text, 'a position of another key');
      void positionOfQuery(text);
      void positionOfTicket({ query: text, header: () => '' });
    },
    (text) => {
      const parts = parseApiKey(apiKeyOf(text) ?? text);
      if (parts !== null) must(text.includes(formatApiKey(parts.id, parts.secret)), 'another key');
    },
    (text) => void readAnswer(text),
  ];
  return {
    name: 'headers',
    form: 'text',
    covers: ['/actors/kit/', '/actors/protocol/position.ts', '/runtime/door/query-position.ts'],
    seeds: [
      '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
      'bytes=0-99',
      'bytes=-5',
      'report "final" \u00e4%.pdf',
      'W/"a", "b", *',
      'acme:shop:dev:main',
      'tenant=acme:shop:dev:main&signature=abc',
      'ticket=abc&position=acme%3Ashop%3Adev%3Amain',
      'ApiKey 01ARZ3NDEKTSV4RRFFQ69G5FAV.c2VjcmV0',
      Buffer.from('{"algorithm":"SHA-256","challenge":"a","number":1,"salt":"b","signature":"c"}').toString('base64'),
    ],
    words: ['00-', '-01', 'ff-', 'bytes=', '-', ',', 'W/', '"', ':', '%3A', 'ApiKey ', '.', '='],
    bytesMax: 4096,
    stepsMax: linear(2000, 40),
    run: (input) => {
      const text = input.toString();
      for (const read of readers) read(text);
    },
  };
}
