/** Password reset and magic link. Spec: docs/contract/identity-users.md §1.4: the same answer for known and unknown addresses. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { putUser } from '#actors/identity/store.ts';
import { mailRows, type MailEntry } from '#actors/identity/user/store.ts';
import { FullStore } from '#test/kit/identity-call.ts';
import { EMAIL, PASSWORD, tokenIn, UserWorld } from '#test/kit/users.ts';

const NEW = 'battery staple';
const BAD = { status: 401, code: 'invalid_one_time_token' };
const REQUESTS = ['requestReset', 'requestMagicLink', 'requestCode'] as const;

async function withUser(options: ConstructorParameters<typeof UserWorld>[0] = {}) {
  const world = new UserWorld(options);
  return { world, id: await world.addUser() };
}

const confirm = (world: UserWorld, token: string, password = NEW) =>
  world.ask('confirmReset', { body: { token, password } });
const consume = (world: UserWorld, token: string, otp?: string) =>
  world.ask('consumeMagicLink', { body: { token, otp } });

async function resetToken(world: UserWorld): Promise<string> {
  await world.ask('requestReset', { body: { login: EMAIL } });
  return world.mailedToken();
}

async function magicToken(world: UserWorld): Promise<string> {
  await world.ask('requestMagicLink', { body: { login: EMAIL } });
  return world.mailedToken();
}

describe.each(REQUESTS)('%s', (request) => {
  test('answers the same for known and unknown addresses and does the same work', async () => {
    const { world } = await withUser();
    const puts: number[] = [];
    const begin = world.store.begin.bind(world.store);
    world.store.begin = () => {
      const turn = begin();
      const put = turn.put.bind(turn);
      turn.put = (key, value) => {
        puts.push(value.length);
        put(key, value);
      };
      return turn;
    };
    const known = await world.ask(request, { body: { login: 'ADA@EXAMPLE.ORG' } });
    const unknown = await world.ask(request, { body: { login: 'eve@example.org' } });
    expect(known).toEqual(unknown);
    expect(known).toMatchObject({ status: 202, body: { ok: true } });
    expect(puts).toHaveLength(2);
    expect(puts[0]).toBe(puts[1]);
    expect(world.outbox()).toHaveLength(1);
    expect(world.outbox()[0]).toMatchObject({ to: EMAIL });
    expect(world.pending).toEqual([7]);
  });

  test('unknown addresses leave a few rows, however many', async () => {
    const { world } = await withUser();
    const rows = () => [...world.store.begin().range('', '\xff')].length;
    const before = rows();
    for (let i = 0; i < 200; i++) await world.ask(request, { body: { login: `eve${i}@example.org` } });
    expect(rows()).toBeGreaterThan(before);
    expect(rows()).toBeLessThanOrEqual(before + 32);
    expect(world.outbox()).toEqual([]);
  });

  test('the tenant is reported once the entry is durable, not before', async () => {
    const { world } = await withUser();
    const waiting: (() => void)[] = [];
    world.store.whenDurable = (_newest, then) => void waiting.push(then);
    await world.ask(request, { body: { login: EMAIL } });
    expect(world.pending).toEqual([]);
    for (const run of waiting) run();
    expect(world.pending).toEqual([7]);
  });

  test('without mail the answer is the same, and one warning says that none leaves', async () => {
    const world = new UserWorld({}, false);
    await world.addUser();
    for (const login of [EMAIL, 'eve@example.org'])
      expect(await world.ask(request, { body: { login } })).toMatchObject({ status: 202, body: { ok: true } });
    expect(world.outbox()).toEqual([]);
    expect(world.logged).toEqual(['no mail leaves this node: identity.mail is not configured']);
  });

  test.each([{}, { login: '' }, { login: 7 }, { login: 'x'.repeat(300) }, '', '[]'])(
    '%j is bad_request',
    async (body) => {
      expect(await new UserWorld().ask(request, { body })).toMatchObject({ status: 400, code: 'bad_request' });
    },
  );

  test('a full disk is persist_failed, for known and unknown alike', async () => {
    const store = new FullStore();
    const { world } = await withUser({ store });
    store.full = 'disk';
    for (const login of [EMAIL, 'eve@example.org'])
      expect(await world.ask(request, { body: { login } })).toMatchObject({ status: 500, code: 'persist_failed' });
    expect(world.pending).toEqual([]);
  });
});

describe('the outbox', () => {
  test('a full outbox drops, counts and says so; the caller sees no difference', async () => {
    const { world } = await withUser();
    for (let i = 0; i < limits.mail.outboxEntriesMax; i++) {
      await world.ask('requestReset', { body: { login: EMAIL } });
      world.clock.advance(limits.identity.mailEveryMs);
    }
    expect(world.logged).toEqual([]);
    for (const login of [EMAIL, 'eve@example.org'])
      expect(await world.ask('requestReset', { body: { login } })).toMatchObject({ status: 202, body: { ok: true } });
    expect(world.outbox()).toHaveLength(limits.mail.outboxEntriesMax);
    expect(world.logged).toEqual(
      Array.from(
        { length: 2 },
        () =>
          'the mail outbox is full, so a mail was dropped and its user gets no link: see whether the mail server takes mail',
      ),
    );
  });

  test('holds no token; a mail that goes out again holds another, and both open', async () => {
    const { world } = await withUser();
    await world.ask('requestReset', { body: { login: EMAIL } });
    const [first] = await world.takeMail();
    const [second] = await world.takeMail();
    expect(second!.id).toBe(first!.id);
    expect(tokenIn(second!.text)).not.toBe(tokenIn(first!.text));
    for (const { value } of world.store.begin().range('', '\xff'))
      expect(Buffer.from(value).toString('latin1')).not.toContain(tokenIn(first!.text).split('.')[1]);
    expect((await confirm(world, tokenIn(first!.text))).status).toBe(200);
    expect(await confirm(world, tokenIn(second!.text))).toMatchObject(BAD);
  });

  test('hands out what is not held, up to the limit, oldest first, until it is settled', async () => {
    const { world } = await withUser();
    for (let i = 0; i < 3; i++) await world.ask('requestReset', { body: { login: EMAIL } });
    const ids = world.outbox().map(({ id }) => id);
    expect(world.takeFromOutbox([ids[0]!], 1)).toMatchObject({
      parcels: [{ id: ids[1], tenantNo: 7, to: EMAIL, subject: 'Reset your password' }],
      more: true,
    });
    for (const id of ids) world.settleMail(id);
    world.settleMail(ids[0]!);
    expect(world.outbox()).toEqual([]);
    expect(world.logged).toEqual([]);
  });

  test('a mail that was not sent is logged, without its address', async () => {
    const { world } = await withUser();
    await world.ask('requestReset', { body: { login: EMAIL } });
    world.settleMail(world.outbox()[0]!.id, 'refused');
    expect(world.outbox()).toEqual([]);
    expect(world.logged).toEqual([
      'a mail was not sent and is not tried again: its user gets no link and may ask for another one',
    ]);
  });

  test('what has expired does not leave any more', async () => {
    const { world } = await withUser();
    await world.ask('requestMagicLink', { body: { login: EMAIL } });
    world.clock.advance(limits.identity.magicLinkMs);
    expect(await world.takeMail()).toEqual([]);
    expect(world.outbox()).toEqual([]);
  });

  test('links carry the position where the template asks for it, and when they end', async () => {
    const { world } = await withUser();
    await world.ask('requestReset', { body: { login: EMAIL } });
    const [mail] = await world.takeMail();
    expect(mail!.text).toContain(`https://main.example.org/reset?token=${tokenIn(mail!.text)}\n`);
    expect(mail!.text).toContain('2026-01-01 01:00 UTC');
  });

  test('a crash between commit and telling: the host looks when it opens', async () => {
    const { world } = await withUser();
    world.service.resume!(world.store, 7);
    expect(world.pending).toEqual([]);
    await world.ask('requestReset', { body: { login: 'eve@example.org' } });
    expect(world.pending).toEqual([7]); // as for an address that has a user
    world.pending.length = 0;
    world.service.resume!(world.store, 7);
    expect(world.pending).toEqual([]);
    await world.ask('requestReset', { body: { login: EMAIL } });
    world.pending.length = 0;
    world.service.resume!(world.store, 7);
    expect(world.pending).toEqual([7]);
    for (const { id } of world.outbox()) world.settleMail(id);
    world.service.resume!(world.store, 7);
    expect(world.pending).toEqual([7]);
  });
});

describe('the language', () => {
  const words = (language: string) =>
    ({ kind: 'reset', language, subject: language, text: '{{link}} {{name}}', button: null, html: null }) as const;
  const options = { mails: [words('en'), words('de'), words('fr')] };

  async function subjectFor(world: UserWorld, accept: string): Promise<string> {
    await world.ask('requestReset', { body: { login: EMAIL }, extra: `accept-language:${accept}\n` });
    return (await world.takeMail()).at(-1)!.subject;
  }

  test('is that of the request, else the product’s', async () => {
    const { world } = await withUser(options);
    expect(await subjectFor(world, 'it, de-AT;q=0.9, fr;q=0.8')).toBe('de');
    expect(await subjectFor(world, 'it')).toBe('en');
  });

  test('the user’s own counts before that of the request, which a stranger may have made', async () => {
    const { world, id } = await withUser(options);
    const turn = world.store.begin();
    putUser(turn, { ...world.user(id)!, locale: 'fr-CA' });
    turn.commit();
    expect(await subjectFor(world, 'de')).toBe('fr');
  });

  test('of an unknown address costs the same: what is written has the same size', async () => {
    const { world } = await withUser(options);
    const sizes: number[] = [];
    for (const login of [EMAIL, 'eve@example.org']) {
      await world.ask('requestReset', { body: { login }, extra: 'accept-language:fr\n' });
      const rows = [...world.store.begin().range('', '\xff')].map(({ value }) => Buffer.from(value).toString('latin1'));
      sizes.push(rows.filter((row) => row.includes('fr') && row.includes('reset'))[sizes.length]!.length);
    }
    expect(sizes[0]! - EMAIL.length).toBe(sizes[1]! - 'eve@example.org'.length);
  });

  test('an entry of an older version, without a language, gets the product’s', async () => {
    const { world, id } = await withUser(options);
    await world.ask('requestReset', { body: { login: EMAIL } });
    const [{ language: _, ...entry }] = world.outbox() as [MailEntry];
    const turn = world.store.begin();
    mailRows.table.put(turn, { ...entry, user: id }, ...mailRows.under, entry.id);
    turn.commit();
    expect((await world.takeMail())[0]).toMatchObject({ subject: 'en' });
  });
});

describe('POST /auth/password/reset/confirm', () => {
  test('sets the password, once, and ends every login', async () => {
    const { world } = await withUser();
    const refresh = (await world.login()).body['refresh_token'];
    const token = await resetToken(world);
    expect(await confirm(world, token)).toMatchObject({ status: 200, body: { ok: true } });
    expect((await world.login()).code).toBe('invalid_credentials');
    expect((await world.login({ password: NEW })).status).toBe(200);
    expect((await world.refresh(refresh)).code).toBe('invalid_refresh_token');
    expect(await confirm(world, token)).toMatchObject(BAD);
  });

  test('of two at once one wins', async () => {
    const { world } = await withUser();
    const token = await resetToken(world);
    const answers = await Promise.all([confirm(world, token, 'one password'), confirm(world, token, 'two password')]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 401]);
    const winner = answers[0].status === 200 ? 'one password' : 'two password';
    expect((await world.login({ password: winner })).status).toBe(200);
  });

  test('lives an hour', async () => {
    const { world } = await withUser();
    const token = await resetToken(world);
    world.clock.advance(limits.identity.resetTokenMs);
    expect(await confirm(world, token)).toMatchObject(BAD);
  });

  test('one answer for what opens nothing; the right token still does afterwards', async () => {
    const { world, id } = await withUser();
    const token = await resetToken(world);
    const magic = await magicToken(world);
    const [, secret] = token.split('.') as [string, string];
    const turned = secret.startsWith('A') ? `B${secret.slice(1)}` : `A${secret.slice(1)}`;
    const wrong = ['x', id, `${id}.`, `${id}.${turned}`, `${'0'.repeat(26)}.${secret}`, `${token}=`, magic];
    const answers = [];
    for (const text of wrong) answers.push(await confirm(world, text));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toHaveLength(1);
    expect(answers[0]).toMatchObject(BAD);
    expect((await world.login()).status).toBe(200);
    expect((await confirm(world, token)).status).toBe(200);
  });

  test.each(['Password123', '12345678', ' '.repeat(8)])(
    'one of the most common passwords is bad_request and leaves the link open: %j',
    async (password) => {
      const { world } = await withUser();
      const token = await resetToken(world);
      const answer = await confirm(world, token, password);
      expect(answer).toMatchObject({ status: 400, code: 'bad_request' });
      expect(answer.text).toContain('most common');
      expect((await confirm(world, token)).status).toBe(200);
    },
  );

  test('a password that is too short is bad_request and leaves the link open; the short path does the same', async () => {
    const { world } = await withUser();
    const token = await resetToken(world);
    expect(await confirm(world, token, 'short')).toMatchObject({ status: 400, code: 'bad_request' });
    expect((await world.ask('confirmPassword', { body: { token, password: NEW } })).status).toBe(200);
  });

  test('ends sessions, and closes a magic link that is still open', async () => {
    const { world } = await withUser({ settings: { sessions: { mode: 'managed' } } });
    const authorization = `Bearer ${(await world.login()).body['access_token'] as string}`;
    const magic = await magicToken(world);
    await confirm(world, await resetToken(world));
    expect((await world.ask('listSessions', { authorization, body: {} })).code).toBe('invalid_token');
    expect(await consume(world, magic)).toMatchObject(BAD);
  });

  test('keeps at most so many links open', async () => {
    const { world } = await withUser();
    const tokens: string[] = [];
    for (let i = 0; i <= limits.identity.oneTimeSecretsMax; i++) {
      await world.ask('requestReset', { body: { login: EMAIL } });
      tokens.push(
        tokenIn(
          (
            await world.takeMail(
              world
                .outbox()
                .slice(0, -1)
                .map(({ id }) => id),
            )
          )[0]!.text,
        ),
      );
    }
    expect(await confirm(world, tokens[0]!)).toMatchObject(BAD);
    expect((await confirm(world, tokens[1]!)).status).toBe(200);
  });

  test('a full disk changes nothing', async () => {
    const store = new FullStore();
    const { world } = await withUser({ store });
    const token = await resetToken(world);
    store.full = 'disk';
    expect(await confirm(world, token)).toMatchObject({ status: 500, code: 'persist_failed' });
    store.full = null;
    expect((await world.login({ password: PASSWORD })).status).toBe(200);
    expect((await confirm(world, token)).status).toBe(200);
  });
});

describe('POST /auth/magic-link/consume', () => {
  test('is a login, once', async () => {
    const { world } = await withUser();
    const token = await magicToken(world);
    const answers = await Promise.all([consume(world, token), consume(world, token), consume(world, token)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401]);
    expect(answers[0].body).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
    expect((await world.refresh(answers[0].body['refresh_token'])).status).toBe(200);
    expect(answers[1]).toMatchObject(BAD);
  });

  test('lives a quarter of an hour, and a reset token is none', async () => {
    const { world } = await withUser();
    const token = await magicToken(world);
    expect(await consume(world, await resetToken(world).catch(() => 'x'))).toMatchObject(BAD);
    world.clock.advance(limits.identity.magicLinkMs);
    expect(await consume(world, token)).toMatchObject(BAD);
  });
});
