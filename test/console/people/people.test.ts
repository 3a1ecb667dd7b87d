/** What pages of people know without a page: devices, names that are typed, roles, and what an address says. */
import { expect, test } from 'vitest';
import { deviceOf } from '#console/people/device.ts';
import { fullName, loginOf, namedBy } from '#console/people/names.ts';
import { changeOf, isGrave, offered } from '#console/people/roles.ts';
import { readPeopleSearch } from '#console/people/search.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox · Linux', false],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0 Safari/537.36`, 'Chrome · Windows', false],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0 Safari/537.36 Edg/140.0`, 'Edge · Windows', false],
  [`Mozilla/5.0 (Linux; Android 15; K) ${WEBKIT} Chrome/140.0 Mobile Safari/537.36`, 'Chrome · Android', true],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${WEBKIT} Version/18.0 Safari/604.1`,
    'Safari · iPhone',
    true,
  ],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/18.0 Safari/605.1.15`, 'Safari · macOS', false],
  ['curl/8.14.1', 'curl', false],
  ['node', 'Node.js', false],
  ['a program of our own/1.0', 'a program of our own/1.0', false],
  ['x'.repeat(200), 'x'.repeat(60), false],
  ['', null, false],
  [null, null, false],
])('a session by %j is of %j', (agent, name, isHandheld) => {
  expect(deviceOf(agent)).toEqual({ name, isHandheld });
});

test('a person goes by the address, a guest by the id; case and blanks around it do not count where it is typed', () => {
  const eva = { id: '01', email: 'eva@example.org', firstname: 'Eva', lastname: null };
  expect([fullName(eva), loginOf(eva), loginOf({ ...eva, email: '' })]).toEqual(['Eva', 'eva@example.org', '01']);
  expect(fullName({ ...eva, firstname: null, lastname: '' })).toBe('');
  expect([' Eva@Example.org ', 'eva@example.or', ''].map((text) => namedBy(eva).isTyped(text))).toEqual([
    true,
    false,
    false,
  ]);
});

test('roles are offered once each, those of every product first; a change says what it gives and takes', () => {
  expect(offered('z', 'a', 'tenant_user', 'a')).toEqual(['tenant_admin', 'tenant_user', 'tenant_viewer', 'a', 'z']);
  const change = changeOf(['a', 'b'], ['b', 'c']);
  expect(change).toEqual({ gives: ['c'], takes: ['a'] });
  expect(isGrave(change)).toBe(false);
  expect(isGrave(changeOf(['tenant_admin'], []))).toBe(true);
  expect(isGrave(changeOf([], ['tenant_admin']))).toBe(true);
  expect(isGrave(changeOf(['tenant_admin'], ['tenant_admin', 'a']))).toBe(false);
});

test('an address says what is searched for, as texts; anything else in it is left out', () => {
  expect(readPeopleSearch({ q: '12', show: 'guests', role: 'clerk', user: '01', more: 'x' })).toEqual({
    q: '12',
    show: 'guests',
    role: 'clerk',
    user: '01',
  });
  expect(readPeopleSearch({ q: ['a', 'b'], show: 'x', user: '' })).toEqual({ q: 'a' });
  expect(readPeopleSearch({})).toEqual({});
});
