/** A tenant whose product has accounts, and people who sign up in it. */
import type { ProductDefinition } from '#config/definitions/product.ts';
import { Work } from '#actors/host/work.ts';
import type { Opened, OpenWish } from '#actors/identity/operator/open-impersonation.ts';
import { allUsers, findLogin, findUser, putUser, type UserRecord } from '#actors/identity/store.ts';
import { drawOneTime } from '#actors/identity/user/one-time-token.ts';
import { findOneTime } from '#actors/identity/user/store.ts';
import { mintToken } from '#actors/kit/token/mint.ts';
import type { Answer, WorldOptions } from '#test/kit/identity-call.ts';
import { PASSWORD, UserWorld } from '#test/kit/users.ts';

export const NEW_PASSWORD = 'battery staple';
export const GRACE = 'grace@example.org';

const LINKS = ['reset', 'magic_link', 'sign_up', 'invitation', 'email_change', 'code'] as const;

type Accounts = NonNullable<ProductDefinition['settings']['accounts']>;
type Settings = ProductDefinition['settings'];

export const OPEN: Accounts = { sign_up: 'open', roles: ['tenant_user'] };

/** The world of a product with these accounts. */
export function accountWorld(accounts: Partial<Accounts> = {}, more: Settings = {}, options: WorldOptions = {}) {
  return new AccountWorld({ ...options, settings: { ...more, accounts: { ...OPEN, ...accounts } } });
}

export class AccountWorld extends UserWorld {
  signUp(email: unknown = GRACE): Promise<Answer> {
    return this.ask('signUp', { body: { email } });
  }

  confirm(token: string, body: object = {}): Promise<Answer> {
    return this.ask('confirmAccount', { body: { token, password: NEW_PASSWORD, ...body } });
  }

  invite(authorization: string, email = GRACE, roles: readonly string[] = ['tenant_user']): Promise<Answer> {
    return this.ask('createInvitation', { authorization, body: { email, roles } });
  }

  userNamed(email: string): UserRecord | undefined {
    const turn = this.store.begin();
    return findUser(turn, findLogin(turn, email) ?? '');
  }

  users(): UserRecord[] {
    return [...allUsers(this.store.begin())];
  }

  /** An administrator of the tenant, and the header of a token of it. */
  async administrator(roles: readonly string[] = ['tenant_admin']): Promise<{ id: string; authorization: string }> {
    const id = await this.addUser('admin@example.org', roles);
    return { id, authorization: this.as(id, roles) };
  }

  /** The header of a token of a user, without a session. */
  as(sub: string, roles: readonly string[] = [], claims: object = {}): string {
    const tenant = this.activation.position.key;
    const exp = '2999-01-01T00:00:00Z';
    return `Bearer ${mintToken(this.ring, { iss: 'iam', sub, type: 'user', tenant, roles, exp, ...claims })}`;
  }

  /** The header of a token with which an operator acts for a user, who allows it from now on. */
  impersonating(id: string, mode: 'full' | 'readonly' = 'full', reason = 'a ticket'): string {
    const turn = this.store.begin();
    putUser(turn, { ...findUser(turn, id)!, allow_impersonation: true });
    turn.commit();
    const work = new Work(this.activation);
    const wish = { operator: 'OPERATOR', user: id, reason, mode, request_id: '', ip: null, user_agent: 'desk' };
    const open = this.service.asks!['impersonation.open'] as (work: Work, wish: OpenWish) => Opened;
    const opened = open(work, { ...wish, granted_until: '2999-01-01T00:00:00Z' });
    if (opened.outcome !== 'opened') throw new Error(opened.outcome);
    work.commit();
    return `Bearer ${opened.body.access_token}`;
  }

  /** The header of the token that a login with the password gives. */
  async loggedIn(login: string, password = PASSWORD): Promise<string> {
    const { body } = await this.login({ login, password });
    return `Bearer ${body['access_token'] as string}`;
  }

  /** A login without a password, as a test with many of them needs it. */
  async quickLogin(user: UserRecord): Promise<void> {
    const turn = this.store.begin();
    const token = drawOneTime(turn, this.context, 'magic_link', user.id, '2999-01-01T00:00:00.000Z');
    turn.commit();
    const { status } = await this.ask('consumeMagicLink', { body: { token } });
    if (status !== 200) throw new Error(`a login was refused: ${status}`);
  }

  /** How many rows the tenant has, without the one that stands in for users who have no link of a kind. */
  rows(): number {
    const reader = this.store.begin();
    const decoys = LINKS.filter((kind) => findOneTime(reader, kind, 'Z'.repeat(26)) !== undefined);
    return [...reader.range('', '\xff')].length - decoys.length;
  }
}
