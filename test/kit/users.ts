/** A world with users whose mail is read straight from the outbox. */
import { createUser } from '#actors/identity/create-user.ts';
import { findUser, type UserRecord } from '#actors/identity/store.ts';
import { mailRows, type MailEntry } from '#actors/identity/user/store.ts';
import { Work } from '#actors/host/work.ts';
import { hashPassword } from '#actors/kit/password.ts';
import type { Mail, MailSettled } from '#actors/protocol/mail.ts';
import type { Taken } from '#actors/protocol/outbox.ts';
import { World, type Answer, type WorldOptions } from './identity-call.ts';

export const EMAIL = 'ada@example.org';
export const PASSWORD = 'correct horse';

const hash = hashPassword(PASSWORD);

export class UserWorld extends World {
  /** Tenants that said they have mail. */
  readonly pending: number[];

  constructor(options: WorldOptions = {}, withMail = true) {
    const pending: number[] = [];
    const links = {
      reset: 'https://{tenant}.example.org/reset?token={token}',
      magic_link: 'https://example.org/in#{token}',
      sign_up: 'https://example.org/welcome#{token}',
      invitation: 'https://{tenant}.example.org/join#{token}',
      email_change: 'https://example.org/address#{token}',
    };
    super({ mail: withMail ? { links, pending: (tenantNo) => void pending.push(tenantNo) } : null, ...options });
    this.pending = pending;
  }

  /** The id of a new user with the password above. */
  async addUser(email = EMAIL, roles: readonly string[] = ['tenant_user']): Promise<string> {
    const turn = this.store.begin();
    const id = createUser(turn, this.context, { email, passwordHash: await hash, roles })!;
    turn.commit();
    return id;
  }

  user(id: string): UserRecord | undefined {
    return findUser(this.store.begin(), id);
  }

  login(body: object = {}, extra = ''): Promise<Answer> {
    return this.ask('login', { body: { login: EMAIL, password: PASSWORD, ...body }, extra });
  }

  refresh(refresh_token: unknown): Promise<Answer> {
    return this.ask('refresh', { body: { refresh_token } });
  }

  outbox(): MailEntry[] {
    return [...mailRows.table.scan(this.store.begin(), mailRows.under)];
  }

  /** What main's relay gets, committed as the host does. */
  takeFromOutbox(except: readonly string[], limit: number): Taken<Mail> {
    const work = new Work(this.activation);
    const taken = this.service.outboxes!.mail!.take(work, { except, limit });
    work.commit();
    return taken;
  }

  async takeMail(except: readonly string[] = [], limit = 64): Promise<readonly Mail[]> {
    return this.takeFromOutbox(except, limit).parcels;
  }

  settleMail(id: string, outcome: MailSettled['outcome'] = 'sent'): void {
    const work = new Work(this.activation);
    this.service.outboxes!.mail!.settle(work, { tenantNo: this.activation.tenantNo, id, outcome });
    work.commit();
  }

  /** The token of the newest mail's link. */
  async mailedToken(): Promise<string> {
    return tokenIn((await this.takeMail()).at(-1)!.text);
  }
}

/** The token in a mail's text. */
export function tokenIn(text: string): string {
  return /[=#]([0-9A-Z]{26}\.[A-Za-z0-9_-]{43})/.exec(text)![1]!;
}
