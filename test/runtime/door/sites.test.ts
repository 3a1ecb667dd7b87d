/** Which site a request is at, and what its position is there, over visits that are plain values: docs/contract/platform.md §3.5. */
import { describe, expect, test } from 'vitest';
import type { Visit } from '#runtime/door/port.ts';
import { Sites } from '#runtime/door/sites.ts';
import { resolveText } from '#test/kit/platform-text.ts';

const platform = resolveText(`hives:
  tenant:
    - { key: "acme:desk:prod:main", meta: { localdir: . } }
gateway:
  sites:
    help.example: { tenant: "acme:desk:prod:main" }
`);
const sites = Sites.of(platform)!;

type Fields = Readonly<Record<string, string>>;

function visitOf(fields: Fields): Visit {
  const header = (name: string): string => fields[name] ?? '';
  return { method: 'GET', path: '/', query: '', header, headers: header } as unknown as Visit;
}

const POSITION = ['x-customer', 'x-product', 'x-env', 'x-tenant'];
const positionAt = (fields: Fields): string[] => POSITION.map((name) => sites.at(visitOf(fields)).header(name));
const OWN = ['acme', 'desk', 'prod', 'main'];

test('without the key there are none, so that nothing looks at Host', () => {
  expect(Sites.of(resolveText('{}'))).toBeNull();
});

describe('at the host of a site', () => {
  test.each(['help.example', 'help.example:8080', 'HELP.Example', 'Help.Example:443'])('%s', (host) => {
    expect(positionAt({ host })).toEqual(OWN);
    expect(POSITION.map((name) => sites.at(visitOf({ host })).headers(name))).toEqual(OWN);
  });

  test('headers that name its position change nothing, some of them or all', () => {
    expect(positionAt({ host: 'help.example', 'x-tenant': 'main' })).toEqual(OWN);
    const all = { 'x-customer': 'acme', 'x-product': 'desk', 'x-env': 'prod', 'x-tenant': 'main' };
    expect(positionAt({ host: 'help.example', ...all })).toEqual(OWN);
  });

  test.each(POSITION)('a header %s that names another makes the position malformed, whole', (name) => {
    for (const other of ['other', 'MAIN', ' main', 'superadmin'])
      expect(positionAt({ host: 'help.example', [name]: other })).toEqual(['!', '!', '!', '!']);
  });

  test('other headers are the request’s', () => {
    const visit = sites.at(visitOf({ host: 'help.example', 'x-api-key': 'k', origin: 'o', 'x-request-id': 'i' }));
    expect(['x-api-key', 'origin', 'x-request-id', 'x-constructor'].map((name) => visit.header(name))).toEqual([
      'k',
      'o',
      'i',
      '',
    ]);
  });
});

describe('elsewhere the visit is the same object', () => {
  test.each<Fields>([
    { host: 'other.example' },
    { host: 'a.help.example' },
    { host: 'help.example.' },
    { host: 'help.example.evil' },
    { host: 'help.example@evil' },
    { host: 'help.example:1:2' },
    { host: ':80' },
    { host: '' },
    { host: '__proto__' },
    { host: 'other.example', 'x-forwarded-host': 'help.example', forwarded: 'host=help.example' },
  ])('%j', (fields) => {
    const visit = visitOf(fields);
    expect(sites.at(visit)).toBe(visit);
  });
});
