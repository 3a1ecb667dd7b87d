/** Accounts inside their host, without door and threads: one tenant on a real archive, users with passwords, and a clock that allowances do not hold back. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Activation, Context } from '#actors/host/activation.ts';
import { Call, type CompiledRoute } from '#actors/host/call.ts';
import { Exclusive } from '#actors/host/exclusive.ts';
import type { Service } from '#actors/host/service.ts';
import { Work } from '#actors/host/work.ts';
import { createUser } from '#actors/identity/create-user.ts';
import { routes } from '#actors/identity/routes.ts';
import { identityService } from '#actors/identity/service.ts';
import { drawOneTime } from '#actors/identity/user/one-time-token.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { hashPassword } from '#actors/kit/password.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { Archive } from '#storage/archive.ts';
import { openBenchArchive } from './bench-archive.ts';

const TENANT = 'acme:atlas:dev:main';
const TENANT_NO = 2;
const EVER = '2999-01-01T00:00:00.000Z';
/** After so long every allowance of an account is whole again. */
const ALLOWANCE_MS = 60 * 60_000;

export type AnonymousRoute =
  | 'login'
  | 'requestReset'
  | 'requestMagicLink'
  | 'requestCode'
  | 'consumeCode'
  | 'consumeMagicLink'
  | 'signUp'
  | 'confirmAccount'
  | 'confirmReset';

export class AccountHost {
  readonly #dir: string;
  readonly #archive: Archive;
  readonly #clock = new SimulatedClock();
  readonly #service: Service;
  readonly #activation: Activation;

  private constructor(dir: string, archive: Archive) {
    this.#dir = dir;
    this.#archive = archive;
    const clock = this.#clock;
    const silent = (): void => undefined;
    const context: Context = {
      clock,
      ids: new IdSource(clock),
      log: { info: silent, warn: silent, error: silent },
      random: randomBytes,
      ring: ringOf([newSigningKey({ clock, random: randomBytes })]),
    };
    const template = 'https://example.org/{token}';
    const links = { reset: template, magic_link: template, sign_up: template };
    this.#service = identityService({ context, bootstrapToken: null, mail: { links, pending: silent } });
    const product = { name: 'atlas', entities: {}, settings: { accounts: { sign_up: 'open', roles: [] } } } as const;
    const store = archive.store(0, TENANT_NO);
    this.#activation = {
      position: parsePosition(TENANT)!,
      tenantNo: TENANT_NO,
      context,
      product,
      store,
      exclusive: new Exclusive(),
    };
  }

  /** Opens a store of its own and wakes the tenant; `close` removes it. */
  static async open(): Promise<AccountHost> {
    const dir = mkdtempSync(join(tmpdir(), 'skep-bench-accounts-'));
    const host = new AccountHost(dir, await openBenchArchive(dir));
    await host.#service.activate(host.#activation);
    return host;
  }

  /** Users of these addresses, all with one password. */
  async addUsers(emails: readonly string[], password: string): Promise<string[]> {
    return this.addHashed(emails, await hashPassword(password));
  }

  /** Users with a hash as an import brings it. */
  addHashed(emails: readonly string[], passwordHash: string): string[] {
    const turn = this.#activation.store.begin();
    const made = emails.map((email) => createUser(turn, this.#activation.context, { email, passwordHash, roles: [] })!);
    turn.commit();
    return made;
  }

  /** A link that is open and whose token is never shown. */
  openLink(kind: 'reset' | 'sign_up' | 'magic_link', id: string): void {
    const turn = this.#activation.store.begin();
    drawOneTime(turn, this.#activation.context, kind, id, EVER);
    turn.commit();
  }

  /** Handler and commit of one request, as the host runs them: `text` is its body. */
  async ask(name: AnonymousRoute, text: string): Promise<Reply | Refusal> {
    const row = routes[name];
    const route: CompiledRoute = { no: 0, name, service: 'identity', row, paramNames: [] };
    const call = new Call(0, route, TENANT_NO, row.methods[0], '', '', '', '', '', text);
    call.tenant = this.#activation;
    const outcome = await this.#service.handlers[name]!(call);
    if (outcome.kind === 'refusal') call.abort();
    else call.commit();
    return outcome;
  }

  /** Between two requests: allowances are whole again, the mails that wait are sent, and all is in LMDB, so that each request finds the same places. */
  async settle(): Promise<void> {
    this.#clock.advance(ALLOWANCE_MS);
    const outbox = this.#service.outboxes!.mail!;
    const work = new Work(this.#activation);
    const { parcels } = outbox.take(work, { except: [], limit: 64 });
    for (const { id } of parcels) outbox.settle(work, { tenantNo: TENANT_NO, id, outcome: 'sent' } as never);
    work.commit();
    await this.#archive.drain();
  }

  async close(): Promise<void> {
    await this.#archive.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
