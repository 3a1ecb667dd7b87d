/** Stages events of triggers in the commit of the rows that they report: after a crash both exist, or neither (docs/contract/triggers.md §2). */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { TriggerWatch } from '#actors/host/row-watch.ts';
import { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { Seldom } from '#actors/kit/seldom.ts';
import type { ConditionFault, FiredEvent } from '#actors/protocol/turn-owner.ts';
import type { EventSinks } from './part.ts';
import { countChange, workOf } from './counts.ts';
import type { TriggerEntry, Turn } from './store.ts';

export class EventWatch implements TriggerWatch {
  readonly #activation: Activation;
  readonly #sinks: EventSinks;
  readonly #seldom = new Seldom();

  constructor(activation: Activation, sinks: EventSinks) {
    this.#activation = activation;
    this.#sinks = sinks;
  }

  /** Stages the events of one commit; a trigger whose events fill their room drops the newest, and counts them. */
  stage(turn: Turn, fired: readonly FiredEvent[]): void {
    const work = turn.owner instanceof Work ? turn.owner : null;
    const depth = (work?.triggerDepth ?? 0) + 1;
    for (const [trigger, events] of byTrigger(fired)) {
      if (depth > limits.triggers.depthMax) this.#tooDeep(turn, trigger, events.length);
      else this.#stageOne(turn, work, { trigger, events, depth });
    }
  }

  #stageOne(
    turn: Turn,
    work: Work | null,
    { trigger, events, depth }: { trigger: string; events: readonly FiredEvent[]; depth: number },
  ): void {
    const { kind } = events[0]!;
    const outbox = this.#sinks.outbox[kind];
    const dropped = outbox.stage(turn, this.#entriesOf(events, depth, work), trigger);
    if (dropped > 0)
      this.#warn(
        `full ${trigger}`,
        { trigger, dropped },
        'too many events of a trigger wait: the newest are dropped; see what it leads to, and which of its events failed',
      );
    if (dropped === events.length) return;
    const committed = kind === 'script' ? () => this.#sinks.scriptsSoon() : null;
    work?.onEnd((newest) => {
      if (newest === null) return;
      if (committed !== null) committed();
      else outbox.notify(this.#activation, newest);
    });
  }

  #entriesOf(events: readonly FiredEvent[], depth: number, work: Work | null): TriggerEntry[] {
    const { clock, ids } = this.#activation.context;
    const at = timestamp(clock.now());
    const trace = work?.trace?.traceparent;
    return events.map(({ trigger, kind, entity, event, key, version }) => {
      const entry = { id: ids.next(), trigger, kind, entity, event, key, version, at, depth };
      return trace === undefined ? entry : { ...entry, trace };
    });
  }

  #tooDeep(turn: Turn, trigger: string, events: number): void {
    countChange(workOf(turn), trigger, { dropped: events });
    this.#warn(
      `deep ${trigger}`,
      { trigger, dropped: events, depth: limits.triggers.depthMax },
      'triggers fire one another in a circle: further events are dropped; give one of them a condition that ends it',
    );
  }

  conditionFailed(trigger: string, { where, part, why }: ConditionFault): void {
    this.#warn(
      `condition ${trigger}`,
      { trigger, rule: where, part, error: why },
      'a condition of a trigger gave no answer for a change, which so fires nothing: ask with has(…) first, or compare other values',
    );
  }

  /** Any caller can cause these lines: one a minute of each kind. */
  #warn(kind: string, facts: object, text: string): void {
    const { context, position } = this.#activation;
    const leftOut = this.#seldom.leftOut(kind, context.clock.now());
    if (leftOut === null) return;
    const since = leftOut === 0 ? {} : { left_out: leftOut };
    context.log.warn({ service: 'data', tenant: position.key, ...facts, ...since }, text);
  }
}

/** Most commits fire one trigger once. */
function byTrigger(fired: readonly FiredEvent[]): Iterable<readonly [string, readonly FiredEvent[]]> {
  return fired.length === 1 ? [[fired[0]!.trigger, fired]] : Map.groupBy(fired, ({ trigger }) => trigger);
}
