/** Logins of the client: tokens that are renewed before they end, by one caller for all, also among tabs; what ends a login. */
import { afterEach, expect, test, vi } from 'vitest';
import { createClient, prove, type TokenStorage } from '#client/index.ts';
import { inMemory } from '#client/tokens.ts';
import { fakeNode, FAST, HERE, inTurn, type Sent, type Told } from './fake-node.ts';

/** A node that knows the tokens `access-<n>`, of which the newest alone counts, and `refresh-<n>`, each of which is used once. */
class Realm {
  newest = 0;
  seconds = 900;
  /** Access tokens that do not count any more. */
  readonly refused = new Set<string>();
  /** The answer of the next refresh, which comes late. */
  slow: Promise<Told> | null = null;
  /** Answers in place of those of a refresh, the next first. */
  readonly trouble: Told[] = [];
  readonly node = fakeNode((sent) => this.#answer(sent));

  refreshes(): Sent[] {
    return this.node.sent.filter(({ path }) => path === '/auth/refresh');
  }

  async #answer({ path, headers, body }: Sent): Promise<Told> {
    await Promise.resolve();
    if (path === '/auth/login') return this.#tokens();
    if (path === '/auth/logout') return [200, { ok: true }];
    if (path === '/auth/refresh') {
      const { slow } = this;
      this.slow = null;
      if (slow !== null) return slow;
      const trouble = this.trouble.shift();
      if (trouble !== undefined) return trouble;
      const { refresh_token } = body as { refresh_token: string };
      return refresh_token === `refresh-${this.newest}`
        ? this.#tokens()
        : [401, { error: 'no', code: 'refresh_reused' }];
    }
    const token = headers.get('authorization')?.replace('Bearer ', '') ?? '';
    return token === `access-${this.newest}` && !this.refused.has(token)
      ? [200, { data: [{}] }]
      : [401, 'Unauthorized'];
  }

  #tokens(): Told {
    const no = ++this.newest;
    return [
      200,
      { access_token: `access-${no}`, refresh_token: `refresh-${no}`, token_type: 'Bearer', expires_in: this.seconds },
    ];
  }
}

const clientOf = (realm: Realm, storage?: TokenStorage) =>
  createClient({ ...HERE, retry: FAST, fetch: realm.node.fetch, ...(storage && { storage }) });
const ADA = { login: 'ada@example.org', password: 'p' };

/** Web Locks of a browser: one holder of a name at a time. */
function webLocks() {
  const last = new Map<string, Promise<unknown>>();
  const held: string[] = [];
  const request = <T>(name: string, _: object, work: () => Promise<T>): Promise<T> => {
    held.push(name);
    const mine = (last.get(name) ?? Promise.resolve()).then(work, work);
    last.set(name, mine);
    return mine;
  };
  return { locks: { request }, held };
}

afterEach(() => vi.unstubAllGlobals());

test('a login sends the position and no credential; its token goes with every request', async () => {
  const realm = new Realm();
  const skep = clientOf(realm);
  expect(skep.auth.isLoggedIn).toBe(false);
  await skep.auth.login({ ...ADA, otp: '123456' });
  await skep.from('note').list();
  const [login, list] = realm.node.sent;
  expect(login!.body).toEqual({ ...ADA, otp: '123456' });
  expect([login!.headers.get('authorization'), login!.headers.get('idempotency-key')]).toEqual([null, null]);
  for (const { headers } of [login!, list!])
    expect(['x-customer', 'x-product', 'x-env', 'x-tenant'].map((name) => headers.get(name))).toEqual([
      'acme',
      'desk',
      'dev',
      'main',
    ]);
  expect(list!.headers.get('authorization')).toBe('Bearer access-1');
  expect(skep.auth.isLoggedIn).toBe(true);
});

test('at a site no position is sent', async () => {
  const realm = new Realm();
  await createClient({ site: 'https://desk.example.org/some/page', fetch: realm.node.fetch }).auth.login(ADA);
  expect(realm.node.sent[0]!.headers.get('x-tenant')).toBe(null);
});

test('a token that is about to end is renewed first, once for all callers', async () => {
  const realm = new Realm();
  const skep = clientOf(realm);
  realm.seconds = 5;
  await skep.auth.login(ADA);
  realm.seconds = 900;
  await Promise.all(Array.from({ length: 20 }, () => skep.from('note').list()));
  expect(realm.refreshes()).toHaveLength(1);
  expect(
    realm.node.sent.filter(({ path }) => path.startsWith('/data')).map(({ headers }) => headers.get('authorization')),
  ).toEqual(Array.from({ length: 20 }, () => 'Bearer access-2'));
});

test('a token that the node refuses is renewed, and the request sent again under its key', async () => {
  const realm = new Realm();
  const skep = clientOf(realm);
  await skep.auth.login(ADA);
  realm.refused.add('access-1');
  await skep.from('note').create({});
  const writes = realm.node.sent.filter(({ path }) => path.startsWith('/data'));
  expect(writes.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer access-1', 'Bearer access-2']);
  expect(new Set(writes.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
});

test('a wrong password of somebody who is logged in is tried once, and renews no token', async () => {
  const sent = inTurn(
    [200, { access_token: 'a', refresh_token: 'r', expires_in: 900 }],
    [401, { error: 'no', code: 'invalid_credentials' }],
  );
  const skep = createClient({ ...HERE, retry: FAST, fetch: sent.fetch });
  await skep.auth.login(ADA);
  await expect(prove(skep, { password: 'wrong' })).rejects.toMatchObject({ code: 'invalid_credentials' });
  expect(sent.sent.map(({ path }) => path)).toEqual(['/auth/login', '/auth/proof']);
});

test('a new token that the node refuses, too, is not renewed again', async () => {
  const realm = new Realm();
  const skep = clientOf(realm);
  await skep.auth.login(ADA);
  realm.refused.add('access-1').add('access-2');
  await expect(skep.from('note').list()).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
  expect(realm.refreshes()).toHaveLength(1);
});

test('tabs that share a storage renew one at a time, and the others take what the first got', async () => {
  const { locks, held } = webLocks();
  vi.stubGlobal('navigator', { locks });
  const realm = new Realm();
  const storage = inMemory();
  const tabs = Array.from({ length: 5 }, () => clientOf(realm, storage));
  realm.seconds = 5;
  await tabs[0]!.auth.login(ADA);
  realm.seconds = 900;
  expect(tabs.map(({ auth }) => auth.isLoggedIn)).toEqual([true, true, true, true, true]);
  await Promise.all(tabs.map((tab) => tab.from('note').list()));
  expect(realm.refreshes()).toHaveLength(1);
  expect(held.length).toBeGreaterThan(1);
});

test('a refresh whose answer is lost is sent again; one that is refused ends the login', async () => {
  const realm = new Realm();
  const skep = clientOf(realm);
  const heard: boolean[] = [];
  const end = skep.auth.onChange((isLoggedIn) => heard.push(isLoggedIn));
  realm.seconds = 5;
  await skep.auth.login(ADA);
  realm.trouble.push(new TypeError('cut'), [503, { error: 'busy', code: 'v2.busy' }]);
  await skep.from('note').list();
  expect(realm.refreshes().map(({ body }) => (body as { refresh_token: string }).refresh_token)).toEqual([
    'refresh-1',
    'refresh-1',
    'refresh-1',
  ]);
  realm.trouble.push([401, { error: 'no', code: 'refresh_reused' }]);
  await expect(skep.from('note').list()).rejects.toMatchObject({ status: 401 });
  expect([skep.auth.isLoggedIn, heard]).toEqual([false, [true, false]]);
  end();
  await skep.auth.login(ADA);
  expect(heard).toHaveLength(2);
});

test('a refresh that ends behind another login, or a logout, changes nothing', async () => {
  for (const then of ['login', 'logout'] as const) {
    const realm = new Realm();
    const skep = clientOf(realm);
    realm.seconds = 5;
    await skep.auth.login(ADA);
    realm.seconds = 900;
    let answer: (told: Told) => void = () => undefined;
    realm.slow = new Promise((resolve) => (answer = resolve));
    const listing = skep
      .from('note')
      .list()
      .catch(() => 'refused');
    await expect.poll(() => realm.refreshes().length).toBe(1);
    await (then === 'login' ? skep.auth.login(ADA) : skep.auth.logout());
    answer([200, { access_token: 'access-old', refresh_token: 'refresh-old', expires_in: 900 }]);
    await listing;
    expect(skep.auth.isLoggedIn).toBe(then === 'login');
    const last = realm.node.sent.filter(({ path }) => path.startsWith('/data')).at(-1)!;
    expect(last.headers.get('authorization')).toBe(then === 'login' ? 'Bearer access-2' : null);
  }
});

test('a refresh that cannot be reached ends nothing', async () => {
  const realm = new Realm();
  const skep = clientOf(realm);
  realm.seconds = 5;
  await skep.auth.login(ADA);
  realm.trouble.push(...Array.from({ length: 4 }, () => new TypeError('cut')));
  await expect(skep.from('note').list()).rejects.toMatchObject({ status: 0, code: 'client.network' });
  expect(skep.auth.isLoggedIn).toBe(true);
  await skep.from('note').list();
});

test('a logout forgets the tokens, and tells the node', async () => {
  const realm = new Realm();
  const storage = inMemory();
  const skep = clientOf(realm, storage);
  await skep.auth.login(ADA);
  await skep.auth.logout();
  expect(skep.auth.isLoggedIn).toBe(false);
  expect(realm.node.sent.at(-1)).toMatchObject({ path: '/auth/logout', body: { refresh_token: 'refresh-1' } });
  await skep.auth.logout();
  expect(realm.node.sent).toHaveLength(2);
});

test('what stands in the storage and is no login counts as none', () => {
  for (const text of ['', '{', 'null', '[]', '{"access":1}', '"x"']) {
    const storage = { ...inMemory(), getItem: () => text };
    expect(clientOf(new Realm(), storage).auth.isLoggedIn).toBe(false);
  }
});

test("a program's own token is asked for once, and again when the node refuses it", async () => {
  const realm = new Realm();
  let asked = 0;
  realm.newest = 1;
  const skep = createClient({ ...HERE, retry: FAST, fetch: realm.node.fetch, token: async () => `access-${++asked}` });
  await skep.from('note').list();
  await skep.from('note').list();
  expect(asked).toBe(1);
  realm.newest = 2;
  await skep.from('note').list();
  expect(asked).toBe(2);
  const fixed = createClient({ ...HERE, retry: FAST, fetch: realm.node.fetch, token: 'access-1' });
  await expect(fixed.from('note').list()).rejects.toMatchObject({ status: 401 });
});

test('a position is checked before anything is sent', () => {
  for (const key of ['a:b:c:', 'a:b:c:d:e'] as const)
    expect(() => createClient({ url: HERE.url, position: key })).toThrow('is no tenant key');
  const { fetch } = new Realm().node;
  expect(() =>
    createClient({ url: HERE.url, position: { customer: 'a', product: 'b', env: 'c', tenant: 'd' }, fetch }),
  ).not.toThrow();
});
