/** Which requests come from a page of their site, by what browsers say: docs/decisions/browser.md BR-2. */
import { describe, expect, test } from 'vitest';
import type { Visit } from '#runtime/door/port.ts';
import { comesFromSite } from '#runtime/door/same-site.ts';

type Fields = Readonly<Record<string, string>>;

function visitOf(method: string, fields: Fields): Visit {
  const all: Fields = { host: 'help.example', ...fields };
  return { method, header: (name: string) => all[name] ?? '' } as unknown as Visit;
}

const comes = (method: string, fields: Fields, changes = false): boolean =>
  comesFromSite(visitOf(method, fields), changes);
const OWN = 'https://help.example';
const site = (said: string): Fields => ({ 'sec-fetch-site': said });

describe('what may change something', () => {
  test.each<[Fields]>([
    [{ origin: OWN }],
    [{ origin: OWN, ...site('same-origin') }],
    [site('same-origin')],
    [{ host: 'HELP.example', origin: OWN }],
    [{ host: 'help.example:443', origin: OWN }],
    [{ host: 'help.example:8443', origin: `${OWN}:8443` }],
    // The proxy passed Host without its port: the browser says that the port is the page's own.
    [{ origin: `${OWN}:8443`, ...site('same-origin') }],
    [{ host: 'localhost:8080', origin: 'http://localhost:8080' }],
    [{ host: 'desk.localhost:8080', origin: 'http://desk.localhost:8080' }],
    [{ host: 'localhost', origin: 'http://localhost' }],
    [{ host: 'localhost:80', origin: 'http://localhost' }],
  ])('comes from the site: %j', (fields) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY']) expect(comes(method, fields)).toBe(true);
    expect(comes('GET', fields, true)).toBe(true);
    expect(comes('GET', { ...fields, upgrade: 'websocket' })).toBe(true);
  });

  test.each<[Fields]>([
    [{}],
    [{ origin: 'null' }],
    [{ origin: 'null', ...site('same-origin') }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'https://evil.example', ...site('same-origin') }],
    [{ origin: 'https://help.example.evil' }],
    [{ origin: 'https://a.help.example' }],
    [{ origin: 'http://help.example' }],
    [{ origin: 'http://help.example', ...site('same-origin') }],
    [{ origin: `${OWN}:8443` }],
    [{ host: 'help.example:8443', origin: OWN }],
    [{ host: 'help.example:8443', origin: `${OWN}:8444` }],
    [{ host: 'localhost:8080', origin: 'http://localhost:9090' }],
    [{ origin: `${OWN}/` }],
    [{ origin: 'help.example' }],
    [{ origin: 'ftp://help.example' }],
    [{ origin: '://help.example' }],
    [{ origin: OWN, ...site('same-site') }],
    [{ origin: OWN, ...site('cross-site') }],
    [{ origin: OWN, ...site('none') }],
    [site('none')],
    [site('same-site')],
    [site('Same-Origin')],
    [{ referer: `${OWN}/` }],
  ])('does not: %j', (fields) => {
    for (const method of ['POST', 'DELETE', 'QUERY']) expect(comes(method, fields)).toBe(false);
    expect(comes('GET', fields, true)).toBe(false);
    expect(comes('GET', { ...fields, upgrade: 'websocket' })).toBe(false);
  });
});

describe('a read', () => {
  const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  test.each<[Fields]>([
    [{}],
    [site('same-origin')],
    [site('none')],
    [{ ...site('cross-site'), ...navigation }],
    [{ ...site('same-site'), ...navigation }],
  ])('may come so: %j', (fields) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(comes(method, fields)).toBe(true);
  });

  test.each<[Fields]>([
    [site('cross-site')],
    [site('same-site')],
    [{ ...site('same-site'), 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    [{ ...site('same-site'), 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
    [{ ...site('cross-site'), 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    [{ ...site('cross-site'), 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'object' }],
    [site('anything')],
  ])('not so: %j', (fields) => {
    expect(comes('GET', fields)).toBe(false);
  });
});
