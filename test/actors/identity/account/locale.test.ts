/** The language of a user's mails. Spec: docs/contract/identity-users.md §8.6, docs/contract/identity-mails.md §2. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { EMAIL } from '#test/kit/users.ts';
import { accountWorld, type AccountWorld } from './kit.ts';

const patch = (world: AccountWorld, authorization: string, body: object) =>
  world.ask('changeMe', { authorization, body });

test('the language of mails is set, in its canonical spelling, and taken back; nonsense is refused', async () => {
  const german = {
    kind: 'reset',
    language: 'de',
    subject: 'Neues Passwort',
    text: '{{link}}',
    button: null,
    html: null,
  } as const;
  const english = { ...german, language: 'en', subject: 'New password' } as const;
  const world = accountWorld({}, {}, { mails: [german, english] });
  const id = await world.addUser();
  const authorization = world.as(id);
  const subject = async () => {
    world.clock.advance(limits.identity.mailEveryMs);
    await world.ask('requestReset', { body: { login: EMAIL } });
    return (await world.takeMail()).at(-1)!.subject;
  };
  expect(await subject()).toBe('New password');
  expect((await patch(world, authorization, { locale: 'DE-ch' })).body).toMatchObject({ locale: 'de-CH' });
  expect(await subject()).toBe('Neues Passwort');
  expect((await patch(world, authorization, { firstname: 'Ada' })).body).toMatchObject({ locale: 'de-CH' });
  for (const locale of ['', 'no language', 'x'.repeat(99), 7])
    expect(await patch(world, authorization, { locale })).toMatchObject({ status: 400, code: 'bad_request' });
  expect((await patch(world, authorization, { locale: null })).body).toMatchObject({ locale: null });
  expect(await subject()).toBe('New password');
});
