/** Gives a tenant that wakes its triggers: what stages their events, and what runs their scripts. */
import type { Activation } from '#actors/host/activation.ts';
import { Secrets } from '#actors/host/vault-secrets.ts';
import { Allowance } from './allowance.ts';
import { triggerOutboxes } from './outboxes.ts';
import type { TriggerOutboxes, TriggerOutboxPorts } from './outboxes.ts';
import { serveTriggers } from './part.ts';
import { ScriptRunner } from './runner.ts';
import { ScriptsPass } from './run-scripts.ts';
import { hasEvents, hasScriptEvents } from './store.ts';
import type { Store } from './store.ts';
import { EventWatch } from './watch.ts';

export interface TriggerPorts extends TriggerOutboxPorts {
  /** A secret of the tenant in the vault; null for one that does not exist. Rejects when the vault does not answer. */
  readonly secret: (activation: Activation, name: string) => Promise<string | null>;
  readonly after: (ms: number, run: () => void) => void;
}

/** Where nothing leaves the node: events wait. */
export const NO_TRIGGER_PORTS: TriggerPorts = {
  hooksPending: () => undefined,
  mailPending: null,
  secret: () => Promise.resolve(null),
  after: () => undefined,
};

/** The triggers of a thread's tenants. */
export class Triggers {
  readonly outboxes: TriggerOutboxes;
  readonly #ports: TriggerPorts;
  readonly #wakeTenant: ((tenantNo: number) => void) | undefined;

  /** `wakeTenant` wakes a tenant that sleeps over events for scripts; without it they wait for its next request. */
  constructor(ports: TriggerPorts, wakeTenant: ((tenantNo: number) => void) | undefined) {
    this.outboxes = triggerOutboxes(ports);
    this.#ports = ports;
    this.#wakeTenant = wakeTenant;
  }

  wake(activation: Activation): void {
    const { script } = this.outboxes;
    const allowance = new Allowance(activation.context.clock.now());
    const runner = new ScriptRunner(activation, (work) => new ScriptsPass(work, script, allowance).run());
    const sinks = { outbox: this.outboxes, scriptsSoon: () => runner.kick() };
    serveTriggers(activation, this.#secretsOf(activation), sinks);
    activation.triggerWatch = new EventWatch(activation, sinks);
    if (hasScriptEvents(activation.store)) runner.kick();
  }

  #secretsOf(activation: Activation): Secrets {
    const { tenantNo, context } = activation;
    const { secret, after, hooksPending } = this.#ports;
    const read = (name: string): Promise<string | null> => secret(activation, name);
    const ports = { clock: context.clock, log: context.log, read, after, askAgain: () => hooksPending(tenantNo) };
    return new Secrets({ service: 'data', ...ports });
  }

  /** Notifies main of events that a crash left, and wakes the tenant where scripts have some. */
  resume(store: Store, tenantNo: number): void {
    if (!hasEvents(store)) return;
    this.outboxes.webhook.resume(store, tenantNo);
    this.outboxes.mail.resume(store, tenantNo);
    if (hasScriptEvents(store)) this.#wakeTenant?.(tenantNo);
  }
}
