import { describe, expect, test } from 'vitest';
import { passkeyRefusals } from '#actors/identity/passkey/refusals.ts';
import { passkeyRoutes } from '#actors/identity/passkey/routes.ts';
import { forgetPasskeys, readPasskeys } from '#actors/identity/passkey/store.ts';
import { INACTIVE_TENANT, MALFORMED_POSITION, NO_POSITION, UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import { limits } from '#config/limits.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { FullStore, World } from '#test/kit/identity-call.ts';
import { SoftAuthenticator } from '#test/kit/soft-authenticator.ts';
import { begin, EMAIL, logIn, passkeyWorld, register, proofFor, said, someone, userIn } from './kit.ts';

const EVERY = ['webauthnBegin', 'webauthnFinish'] as const;

function place(changes = {}) {
  const world = passkeyWorld(changes);
  const id = userIn(world);
  return { world, id, authorization: world.bearer(['tenant_user'], { sub: id }) };
}

describe('where passkeys are off', () => {
  test('registration is 503 before everything else, also without a position', async () => {
    const world = new World();
    const user = world.bearer();
    for (const name of EVERY)
      for (const tenantNo of [undefined, NO_POSITION, UNKNOWN_POSITION, MALFORMED_POSITION, INACTIVE_TENANT])
        for (const authorization of ['', user, 'Bearer x', world.key()])
          for (const body of [undefined, '{', '[]']) {
            const ask = {
              authorization,
              ...(tenantNo === undefined ? {} : { tenantNo }),
              ...(body === undefined ? {} : { body }),
            };
            expect(said(await world.ask(name, ask))).toEqual([503, 'webauthn_disabled']);
          }
  });

  test('without a position it is 503 where a product has them, too', async () => {
    const { world, authorization } = place();
    for (const name of EVERY)
      for (const tenantNo of [NO_POSITION, UNKNOWN_POSITION, MALFORMED_POSITION, INACTIVE_TENANT])
        expect(said(await world.ask(name, { authorization, tenantNo }))).toEqual([503, 'webauthn_disabled']);
  });

  test('the other routes are 503 too, after what is theirs', async () => {
    const world = new World();
    const authorization = world.bearer();
    const ids = { id: 'x', body: {} };
    for (const name of ['webauthnLoginBegin', 'webauthnLoginFinish'] as const)
      expect(said(await world.ask(name))).toEqual([503, 'webauthn_disabled']);
    for (const name of ['listPasskeys', 'changePasskey', 'removePasskey'] as const) {
      expect(said(await world.ask(name, { ...ids, authorization }))).toEqual([503, 'webauthn_disabled']);
      expect(said(await world.ask(name, ids))).toEqual([401, 'auth_required']);
    }
  });
});

describe('begin', () => {
  test('gives options for the browser; nothing in them but the address that the page knows names the user', async () => {
    const { world, id, authorization } = place();
    const answer = await world.ask('webauthnBegin', { authorization, extra: proofFor(world, authorization) });
    expect(answer.headers['Cache-Control']).toBe('no-store');
    expect(answer.body['publicKey']).toMatchObject({
      rp: { id: 'example.org', name: 'Atlas' },
      user: { name: EMAIL, displayName: EMAIL },
      timeout: 300_000,
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
      attestation: 'none',
    });
    const { user } = answer.body['publicKey'] as { user: { id: string } };
    expect(Buffer.from(user.id, 'base64url')).toHaveLength(32);
    expect(Buffer.from(user.id, 'base64url').toString('latin1')).not.toMatch(new RegExp(`ada|${id}`, 'i'));
  });

  test('the handle of a user stays, and is another at another tenant', async () => {
    const { world, authorization } = place();
    const handles = [await begin(world, authorization), await begin(world, authorization)].map(({ user }) => user.id);
    expect(handles[0]).toBe(handles[1]);
    const other = passkeyWorld({ position: 'acme:atlas:dev:other' });
    const id = userIn(other);
    const there = (await begin(other, other.bearer([], { sub: id }))).user.id;
    expect(there).not.toBe(handles[0]);
  });

  test('writes nothing but the key of the tenant, once', async () => {
    const store = new MemoryStore();
    const { world, authorization } = place({ store });
    await begin(world, authorization);
    const rows = () => [...store.begin().range('', '\xff')].length;
    const before = rows();
    for (let time = 0; time < 50; time++) await begin(world, authorization);
    expect(rows()).toBe(before);
  });
});

describe('finish', () => {
  test.each(['ES256', 'EdDSA'] as const)('registers a passkey of %s', async (algorithm) => {
    const { world, id, authorization } = place();
    const device = new SoftAuthenticator({ algorithm, synced: true });
    const answer = await register(world, authorization, device, { body: { name: ' Phone ' } });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      name: 'Phone',
      device_type: 'multiDevice',
      backed_up: true,
      last_used_at: null,
      transports: ['internal'],
      second_factor: false,
      cloned_at: null,
    });
    const listed = await world.ask('listPasskeys', { authorization });
    expect(listed.body).toEqual({ credentials: [answer.body], count: 1 });
    expect(readPasskeys(world.store.begin(), id)).toHaveLength(1);
    expect(world.events.at(-3)).toMatchObject({
      action: 'auth.webauthn_register.after',
      actor: id,
      target: id,
      outcome: 'ok',
    });
    expect((await logIn(world, device)).status).toBe(200);
  });

  test('the browser is told which passkeys the user has', async () => {
    const { world, authorization, device } = await someone();
    const options = (await begin(world, authorization)) as unknown as { excludeCredentials: { id: string }[] };
    expect(options.excludeCredentials.map(({ id }) => id)).toEqual([device.credentials[0]!.id.toString('base64url')]);
  });

  test.each([
    ['origin', { origin: 'https://evil.example' }, 'origin https://evil.example'],
    ['port', { origin: 'https://app.example.org:444' }, 'origin'],
    ['scheme', { origin: 'http://app.example.org' }, 'origin'],
    ['type', { type: 'webauthn.get' }, 'webauthn.create'],
    ['frame', { crossOrigin: true }, 'frame'],
    ['domain', { rpId: 'evil.example' }, 'authenticator'],
    ['presence', { userPresent: false }, 'authenticator'],
    ['flags', { backedUp: true }, 'authenticator'],
  ])('a wrong %s is refused and says so', async (_what, bend, text) => {
    const { world, id, authorization } = place();
    const answer = await register(world, authorization, new SoftAuthenticator(), { bend });
    expect(said(answer)).toEqual([400, 'invalid_passkey']);
    expect(answer.body['error']).toContain(text);
    expect(readPasskeys(world.store.begin(), id)).toEqual([]);
  });

  test('where verification of the user is required, a passkey without it is refused', async () => {
    const world = passkeyWorld({}, { user_verification: 'required' });
    const authorization = world.bearer([], { sub: userIn(world) });
    const bend = { userVerified: false };
    expect(said(await register(world, authorization, new SoftAuthenticator(), { bend }))).toEqual([
      400,
      'invalid_passkey',
    ]);
    expect((await register(world, authorization, new SoftAuthenticator())).status).toBe(201);
  });

  test('an attestation is not read, whatever it holds: no certificate makes the node fetch anything', async () => {
    const { world, authorization } = place();
    const statement = [['alg', -7], ['sig', Buffer.from('x')], ['x5c', Buffer.from('http://127.0.0.1:1/crl')]] as const; // prettier-ignore
    for (const fmt of ['packed', 'fido-u2f', 'apple', 'tpm', 'android-key', 'none', 'unheard-of']) {
      const bend = { attestation: [fmt, statement] as const };
      expect((await register(world, authorization, new SoftAuthenticator(), { bend })).status).toBe(201);
    }
  });

  test.each([
    ['not CBOR', 'AAAA'],
    ['a deep nesting', Buffer.alloc(9000, 0x81).toString('base64url')],
    ['a map that promises more than there is', Buffer.from('bfffffff', 'hex').toString('base64url')],
    ['a length beyond its end', Buffer.from('a168617574684461746158ff', 'hex').toString('base64url')],
  ])('%s is refused', async (_what, attestationObject) => {
    const { world, authorization } = place();
    const credential = new SoftAuthenticator().create(await begin(world, authorization));
    const bent = { ...credential, response: { ...credential.response, attestationObject } };
    const answer = await world.ask('webauthnFinish', { authorization, body: { credential: bent } });
    expect(said(answer)).toEqual([400, 'invalid_passkey']);
  });

  test.each<[string, object | string]>([
    ['no JSON', '{'],
    ['no credential', {}],
    ['a credential of another type', { credential: { id: 'AA', rawId: 'AA', type: 'password', response: {} } }],
    [
      'client data that are no JSON',
      {
        credential: {
          id: 'AA',
          rawId: 'AA',
          type: 'public-key',
          response: { clientDataJSON: 'AA', attestationObject: 'AA' },
        },
      },
    ],
    ['a name of nothing', { name: ' ' }],
  ])('%s is a bad request', async (_what, body) => {
    const { world, authorization } = place();
    expect(said(await world.ask('webauthnFinish', { authorization, body }))).toEqual([400, 'bad_request']);
  });

  test('an id that is not the one in the signed data is refused', async () => {
    const { world, authorization } = place();
    const credential = {
      ...new SoftAuthenticator().create(await begin(world, authorization)),
      id: 'AAAA',
      rawId: 'AAAA',
    };
    expect(said(await world.ask('webauthnFinish', { authorization, body: { credential } }))).toEqual([
      400,
      'invalid_passkey',
    ]);
  });

  test('a credential is registered once, for one user', async () => {
    const { world, authorization } = place();
    const credentialId = Buffer.alloc(32, 9);
    const other = world.bearer([], { sub: userIn(world, 'eve@example.org') });
    expect((await register(world, authorization, new SoftAuthenticator(), { bend: { credentialId } })).status).toBe(
      201,
    );
    for (const who of [authorization, other])
      expect(said(await register(world, who, new SoftAuthenticator(), { bend: { credentialId } }))).toEqual([
        409,
        'passkey_exists',
      ]);
  });
});

describe('the challenge', () => {
  const INVALID = [400, 'invalid_challenge'];

  test('counts once, also when two come at a time', async () => {
    const { world, authorization } = place();
    const options = await begin(world, authorization);
    const bodies = [0, 1].map(() => ({ credential: new SoftAuthenticator().create(options) }));
    const answers = await Promise.all(bodies.map((body) => world.ask('webauthnFinish', { authorization, body })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400]);
    expect(said(await world.ask('webauthnFinish', { authorization, body: bodies[0] }))).toEqual(INVALID);
  });

  test.each([
    [5 * 60_000 - 1, [201, undefined]],
    [5 * 60_000, INVALID],
  ])('lives five minutes: after %i ms', async (ms, expected) => {
    const { world, authorization } = place();
    const credential = new SoftAuthenticator().create(await begin(world, authorization));
    world.clock.advance(ms);
    expect(said(await world.ask('webauthnFinish', { authorization, body: { credential } }))).toEqual(expected);
  });

  test('counts for its user, its session, its purpose and its position', async () => {
    const { world, id, authorization } = place();
    const eve = world.bearer([], { sub: userIn(world, 'eve@example.org') });
    const credential = new SoftAuthenticator().create(await begin(world, authorization));
    expect(said(await world.ask('webauthnFinish', { authorization: eve, body: { credential } }))).toEqual(INVALID);
    const login = (await world.ask('webauthnLoginBegin')).body['publicKey'] as { challenge: string };
    const bent = new SoftAuthenticator().create(await begin(world, authorization), { challenge: login.challenge });
    expect(said(await world.ask('webauthnFinish', { authorization, body: { credential: bent } }))).toEqual(INVALID);
    const copy = passkeyWorld({ position: 'acme:atlas:dev:other', store: world.store });
    copy.ring = world.ring;
    const there = copy.bearer([], { sub: id });
    expect(said(await copy.ask('webauthnFinish', { authorization: there, body: { credential } }))).toEqual(INVALID);
    expect((await world.ask('webauthnFinish', { authorization, body: { credential } })).status).toBe(201);
  });

  test.each([
    [
      'another bit anywhere',
      (text: string, i: number) => text.slice(0, i) + (text[i] === 'A' ? 'B' : 'A') + text.slice(i + 1),
    ],
    ['a piece less', (text: string, i: number) => text.slice(0, i)],
  ])('is none with %s', async (_what, bendText) => {
    const { world, authorization } = place();
    const options = await begin(world, authorization);
    for (let i = 0; i < options.challenge.length; i++) {
      const credential = new SoftAuthenticator().create(options, { challenge: bendText(options.challenge, i) });
      expect(said(await world.ask('webauthnFinish', { authorization, body: { credential } }))).toEqual(INVALID);
    }
  });
});

describe('who may register', () => {
  test('the user alone: no stranger, key, service or impersonation', async () => {
    const { world, id } = place();
    const act = { sub: 'OPERATOR' };
    const denied: [string, string][] = [
      ['', 'auth_required'],
      ['Bearer x', 'invalid_token'],
      ['ApiKey x', 'invalid_api_key'],
      [world.key({ roles: ['tenant_user'] }), 'passkey_denied'],
      [world.bearer([], { type: 'service', scope: ['acme:dev:atlas:main'] }), 'passkey_denied'],
      [world.bearer([], { sub: 'unknown' }), 'passkey_denied'],
    ];
    for (const [authorization, code] of denied)
      for (const name of EVERY) expect((await world.ask(name, { authorization, body: {} })).code).toBe(code);
    expect(passkeyRoutes.webauthnBegin.callers.users.map(({ impersonation }) => impersonation)).toEqual(['none']);
    const acting = await world.ask('webauthnBegin', { authorization: world.bearer([], { sub: id, act, sid: 'S' }) });
    expect([401, 403]).toContain(acting.status);
  });

  test('a 51st passkey is answered like the others, and left out', async () => {
    const { world, id, authorization } = place();
    const device = new SoftAuthenticator();
    for (let time = 0; time < limits.passkeys.perUserMax; time++)
      expect((await register(world, authorization, device)).status).toBe(201);
    const late = new SoftAuthenticator();
    const answer = await register(world, authorization, late);
    expect(Object.keys(answer.body)).toEqual(Object.keys((await register(world, authorization, device)).body));
    expect(answer.status).toBe(201);
    expect((await world.ask('listPasskeys', { authorization })).body['count']).toBe(50);
    expect(said(await logIn(world, late))).toEqual([401, 'invalid_credentials']);
    expect(readPasskeys(world.store.begin(), id)).toHaveLength(50);
    expect(world.events.findLast(({ action }) => action === 'auth.webauthn_register.after')?.data).toMatchObject({
      kept: false,
    });
  });

  test('a full disk is said so, and keeps no passkey', async () => {
    const store = new FullStore();
    const { world, id, authorization } = place({ store });
    const credential = new SoftAuthenticator().create(await begin(world, authorization));
    store.full = 'disk';
    expect(said(await world.ask('webauthnFinish', { authorization, body: { credential } }))).toEqual([
      500,
      'persist_failed',
    ]);
    expect(readPasskeys(store.begin(), id)).toEqual([]);
  });

  test('a user who is deleted takes the passkeys along', async () => {
    const { world, id, device } = await someone();
    const turn = world.store.begin();
    forgetPasskeys(turn, id);
    turn.commit();
    expect(said(await logIn(world, device))).toEqual([401, 'invalid_credentials']);
  });
});

describe('the list', () => {
  test('renames, and takes no other member', async () => {
    const { world, authorization, passkey } = await someone();
    const change = (body: object, id = passkey) => world.ask('changePasskey', { authorization, id, body });
    expect((await change({ name: 'Key ring' })).body['name']).toBe('Key ring');
    expect(said(await change({ nam: 'x' }))).toEqual([400, 'bad_request']);
    expect(said(await change({ name: 'x' }, 'unknown'))).toEqual([404, 'unknown_passkey']);
    expect((await change({})).body['name']).toBe('Key ring');
  });

  test('another user’s passkey is unknown', async () => {
    const { world, passkey, device } = await someone();
    const eve = world.bearer([], { sub: userIn(world, 'eve@example.org') });
    for (const name of ['changePasskey', 'removePasskey'] as const)
      expect(said(await world.ask(name, { authorization: eve, id: passkey, body: {} }))).toEqual([
        404,
        'unknown_passkey',
      ]);
    expect((await world.ask('listPasskeys', { authorization: eve })).body['count']).toBe(0);
    expect((await logIn(world, device)).status).toBe(200);
  });

  test('the last way to log in cannot be removed; another passkey, or a password, is one', async () => {
    const { world, authorization, passkey, device } = await someone();
    const remove = (id: string) =>
      world.ask('removePasskey', { authorization, id, extra: proofFor(world, authorization) });
    expect(said(await remove(passkey))).toEqual([409, 'last_login_way']);
    const second = (await register(world, authorization, new SoftAuthenticator())).body['id'] as string;
    expect((await remove(passkey)).status).toBe(200);
    expect(said(await logIn(world, device))).toEqual([401, 'invalid_credentials']);
    expect(said(await remove(second))).toEqual([409, 'last_login_way']);
    const bob = userIn(world, 'bob@example.org', 'a hash');
    const bobs = world.bearer([], { sub: bob });
    const only = (await register(world, bobs, new SoftAuthenticator())).body['id'] as string;
    expect(
      (await world.ask('removePasskey', { authorization: bobs, id: only, extra: proofFor(world, bobs) })).status,
    ).toBe(200);
  });
});

test('every refusal of the room is met by a row, and the paths are the contract’s', () => {
  const used = new Set<string>(Object.values(passkeyRoutes).flatMap((row) => row.refusals));
  expect(Object.keys(passkeyRefusals).filter((code) => !used.has(code))).toEqual([]);
  expect(
    Object.values(passkeyRoutes).map(
      ({ methods, path, rate }: { methods: readonly string[]; path: string; rate?: string }) => [
        methods[0],
        path,
        rate,
      ],
    ),
  ).toEqual([
    ['POST', '/auth/webauthn/register/begin', 'identity_anonymous'],
    ['POST', '/auth/webauthn/register/finish', 'identity_anonymous'],
    ['POST', '/auth/webauthn/login/begin', 'auth_login'],
    ['POST', '/auth/webauthn/login/finish', 'auth_login'],
    ['GET', '/auth/webauthn/credentials', undefined],
    ['PATCH', '/auth/webauthn/credentials/{id}', undefined],
    ['DELETE', '/auth/webauthn/credentials/{id}', undefined],
  ]);
});
