/** A tenant with an administrator and people. */
import { TABLES } from '#storage/catalogue.ts';
import { encodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';
import { findLogin, type UserRecord } from '#actors/identity/store.ts';
import { UserWorld } from '#test/kit/users.ts';
import type { Answer, WorldOptions } from '#test/kit/identity-call.ts';

export const said = ({ status, code }: Answer): [number, string | undefined] => [status, code];

/** Why a call was refused, for its message. */
export const messageOf = ({ body }: Answer): string => JSON.stringify(body['error']);

export class PeopleWorld extends UserWorld {
  /** The `Authorization` header of a user who administers the tenant. */
  admin = '';
  adminId = '';

  static async open(options: WorldOptions = {}, withMail = true): Promise<PeopleWorld> {
    const world = new PeopleWorld(options, withMail);
    const present = findLogin(world.store.begin(), 'boss@example.org');
    world.adminId = present ?? (await world.addUser('boss@example.org', ['tenant_admin']));
    world.admin = await world.#adminToken(options.settings?.sessions?.mode === 'managed');
    return world;
  }

  async #adminToken(managed: boolean): Promise<string> {
    if (!managed) return this.bearer(['tenant_admin'], { sub: this.adminId });
    const { body } = await this.login({ login: 'boss@example.org' });
    return `Bearer ${String(body['access_token'])}`;
  }

  list(query = '', authorization = this.admin): Promise<Answer> {
    return this.ask('listUsers', { authorization, query });
  }

  /** Addresses of a list, in its order. */
  async found(query: string): Promise<string[]> {
    const { body } = await this.list(query);
    return (body['users'] as { email: string }[]).map(({ email }) => email);
  }

  add(body: object, authorization = this.admin): Promise<Answer> {
    return this.ask('addUser', { authorization, body });
  }

  change(id: string, body: object, authorization = this.admin): Promise<Answer> {
    return this.ask('changeUser', { authorization, id, body });
  }

  remove(id: string, authorization = this.admin): Promise<Answer> {
    return this.ask('removeUser', { authorization, id });
  }

  /** Writes a user as a Skep of before the index did. */
  addOldUser(user: Partial<UserRecord> & Pick<UserRecord, 'id' | 'email'>): void {
    const { no } = TABLES.user;
    const row = { no, key: '', version: 1, owner: 'identity', holds: '' } as const;
    const record = {
      firstname: null,
      lastname: null,
      roles: ['tenant_user'],
      password_hash: '',
      allow_impersonation: false,
      created_at: '2026-01-01T00:00:00.000Z',
      ...user,
    };
    const turn = this.store.begin();
    turn.put(new Table('user', row).key(user.id), encodeRecord(1, record));
    new Table('user_login', TABLES.user_login).put(turn, { id: user.id }, user.email.toLowerCase());
    turn.commit();
  }
}
