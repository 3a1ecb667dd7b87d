/** Gives a tenant that wakes its triggers: what stages their events, and what runs their scripts. */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Secrets } from '#actors/host/vault-secrets.ts';
import { clockFloorKnown, systemClock, type Clock } from '#actors/kit/clock.ts';
import { Allowance } from './allowance.ts';
import { CronAlarm } from './cron-alarm.ts';
import { CronPass } from './cron-pass.ts';
import { firstDueMs } from './cron/store.ts';
import { triggerOutboxes, type TriggerOutboxes, type TriggerOutboxPorts } from './outboxes.ts';
import { hasCron, serveTriggers, triggersOf } from './part.ts';
import { ScriptRunner } from './runner.ts';
import { ScriptsPass } from './run-scripts.ts';
import { expireSubmissions } from '../submission/expire.ts';
import { firstUntilMs } from '../submission/store.ts';
import { hasEvents, hasScriptEvents, type Store } from './store.ts';
import { EventWatch } from './watch.ts';

/** Wakes a tenant of the host, calls `then` when it is awake, and gives whether it is served here. */
export type WakeTenant = (tenantNo: number, then?: (activation: Activation) => void) => boolean;

export interface TriggerPorts extends TriggerOutboxPorts {
  /** The clock by which cron triggers are due. */
  readonly clock: Clock;
  /** A secret of the tenant in the vault; null for one that does not exist. Rejects when the vault does not answer. */
  readonly secret: (activation: Activation, name: string) => Promise<string | null>;
  readonly after: (ms: number, run: () => void) => void;
}

/** Where nothing leaves the node: events wait. */
export const NO_TRIGGER_PORTS: TriggerPorts = {
  clock: systemClock,
  hooksPending: () => undefined,
  mailPending: null,
  secret: () => Promise.resolve(null),
  after: () => undefined,
};

/** The triggers of a thread's tenants. */
export class Triggers {
  readonly outboxes: TriggerOutboxes;
  readonly #ports: TriggerPorts;
  readonly #wakeTenant: WakeTenant | undefined;
  readonly #alarm: CronAlarm;

  /** `wakeTenant` wakes a tenant that sleeps over events for scripts; without it they wait for its next request. */
  constructor(ports: TriggerPorts, wakeTenant: WakeTenant | undefined) {
    this.outboxes = triggerOutboxes(ports);
    this.#ports = ports;
    this.#wakeTenant = wakeTenant;
    const { clock, after } = ports;
    const look = (activation: Activation): void => triggersOf(activation).sinks.scriptsSoon();
    const ring = (tenantNo: number): boolean => wakeTenant?.(tenantNo, look) ?? false;
    this.#alarm = new CronAlarm({ clock, seenMs: clockFloorKnown, after, ring });
  }

  wake(activation: Activation): void {
    const { script } = this.outboxes;
    const { tenantNo, context } = activation;
    const allowance = new Allowance(context.clock.now());
    const left = (): void => this.#alarm.set(tenantNo, this.#ports.clock.now() + limits.triggers.lookAgainMs);
    const runner = new ScriptRunner(
      activation,
      async (work) => {
        // Without its definitions a tenant would end the events and the places of its triggers as those of none.
        if (activation.withheld !== undefined) return null;
        const dueMs = await new CronPass(work, script).run();
        this.#alarm.set(tenantNo, soonerMs(dueMs, await expireSubmissions(work)));
        return new ScriptsPass(work, script, allowance).run();
      },
      left,
    );
    const sinks = { outbox: this.outboxes, scriptsSoon: () => runner.kick() };
    serveTriggers(activation, this.#secretsOf(activation), sinks);
    activation.triggerWatch = new EventWatch(activation, sinks);
    this.outboxes.webhook.wake(activation);
    this.outboxes.mail.wake(activation);
    if (
      hasScriptEvents(activation.store) ||
      hasCron(triggersOf(activation).byName) ||
      this.#firstMs(activation.store) !== null
    )
      runner.kick();
  }

  /** When a cron trigger is due, or a submission past its time. */
  #firstMs(store: Store): number | null {
    return soonerMs(firstDueMs(store), firstUntilMs(store));
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
    const dueMs = this.#firstMs(store);
    if (dueMs !== null) this.#alarm.set(tenantNo, dueMs);
    if (!hasEvents(store)) return;
    this.outboxes.webhook.resume(store, tenantNo);
    this.outboxes.mail.resume(store, tenantNo);
    if (hasScriptEvents(store)) this.#wakeTenant?.(tenantNo);
  }
}

function soonerMs(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  return other === null ? one : Math.min(one, other);
}
