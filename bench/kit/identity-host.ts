/** Identity inside its host, without door and threads: one tenant on a real archive, and calls that its handlers answer. */
import { Exclusive } from '#actors/host/exclusive.ts';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Activation, Context } from '#actors/host/activation.ts';
import { Call, type CompiledRoute } from '#actors/host/call.ts';
import type { Service } from '#actors/host/service.ts';
import { issueKeyInternally } from '#actors/identity/new-key.ts';
import { routes } from '#actors/identity/routes.ts';
import { identityService } from '#actors/identity/service.ts';
import type { Capabilities } from '#actors/identity/shapes.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { newSigningKey } from '#actors/kit/token/signing-key.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { Archive } from '#storage/archive.ts';
import { openBenchArchive } from './bench-archive.ts';

const TENANT = 'acme:atlas:dev:main';
const TENANT_NO = 2;

export interface IdentityHost {
  readonly context: Context;
  /** A key of the tenant, `<id>.<secret>`; `at` is the clock's time when it is made. */
  key(capabilities: Capabilities, at?: number): string;
  /** Credential, handler and commit of one request, as the host runs them. */
  ask(route: 'exchangeKey' | 'revokeKey', authorization: string, id?: string): Reply | Refusal;
  close(): Promise<void>;
}

/** Opens a store of its own and wakes the tenant; `close` removes it. */
export async function openIdentityHost(): Promise<IdentityHost> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-bench-identity-'));
  const archive = await openBenchArchive(dir);
  const host = new BenchHost(archive);
  return {
    context: host.context,
    key: (capabilities, at) => host.key(capabilities, at),
    ask: (route, authorization, id = '') => host.ask(route, authorization, id),
    close: async () => {
      await archive.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

class BenchHost {
  readonly context: Context;
  readonly #service: Service;
  readonly #activation: Activation;

  constructor(archive: Archive) {
    const silent = (): void => undefined;
    this.context = {
      clock: systemClock,
      ids: new IdSource(systemClock),
      log: { info: silent, warn: silent, error: silent },
      random: randomBytes,
      ring: ringOf([newSigningKey({ clock: systemClock, random: randomBytes })]),
    };
    this.#service = identityService({ context: this.context, bootstrapToken: null });
    const product = { name: 'atlas', entities: {}, settings: {} };
    const store = archive.store(0, TENANT_NO);
    const position = parsePosition(TENANT)!;
    this.#activation = {
      position,
      tenantNo: TENANT_NO,
      context: this.context,
      product,
      store,
      exclusive: new Exclusive(),
    };
    void this.#service.activate(this.#activation);
  }

  key(capabilities: Capabilities, at = systemClock.now()): string {
    const turn = this.#activation.store.begin();
    const source = { ...this.context, clock: { ...systemClock, now: () => at } };
    const { key } = issueKeyInternally(turn, source, { capabilities, createdBy: 'bench', expiresInDays: 1 });
    turn.commit();
    return key;
  }

  ask(name: 'exchangeKey' | 'revokeKey', authorization: string, id: string): Reply | Refusal {
    const call = new Call(0, ROUTES[name], TENANT_NO, routes[name].methods[0], id, '', authorization, '', '', '');
    call.tenant = this.#activation;
    const principal = this.#service.authenticate(call);
    if (principal !== null && 'kind' in principal) {
      call.abort();
      return principal;
    }
    call.principal = principal;
    const outcome = this.#service.handlers[name]!(call) as Reply | Refusal;
    if (outcome.kind === 'refusal') call.abort();
    else call.commit();
    return outcome;
  }
}

const compiled = (name: 'exchangeKey' | 'revokeKey', no: number): CompiledRoute => ({
  no,
  name,
  service: 'identity',
  row: routes[name],
  paramNames: name === 'revokeKey' ? ['id'] : [],
});

const ROUTES = { exchangeKey: compiled('exchangeKey', 0), revokeKey: compiled('revokeKey', 1) };
