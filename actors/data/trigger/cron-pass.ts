/**
 * One look at the cron triggers of a tenant: the event of one that is due and its next place are one commit, so that each time is one event, also
 * when the node dies before or after it. Times that passed while no look was possible are one event together (docs/contract/triggers.md §6.3).
 */
import { nextDueMs } from '#config/definitions/cron.ts';
import { isCronTrigger, type CronTriggerDefinition } from '#config/definitions/trigger-shapes.ts';
import { limits } from '#config/limits.ts';
import { commitWhenRoom, untilFree } from '#actors/host/pace/own-turns.ts';
import type { Work } from '#actors/host/work.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { dropPlace, placeOf, putPlace, scanPlaces } from './cron/store.ts';
import type { EventOutbox } from './event-outbox.ts';
import { triggersOf } from './part.ts';
import { countChange, countOf } from './counts.ts';
import type { Turn } from './store.ts';

export class CronPass {
  readonly #work: Work;
  readonly #outbox: EventOutbox;

  constructor(work: Work, outbox: EventOutbox) {
    this.#work = work;
    this.#outbox = outbox;
  }

  /** Stages what is due; the instant at which more is, in milliseconds since the epoch, or null. Throws TenantClosed when the host ends. */
  async run(): Promise<number | null> {
    const { standing } = this.#work.activation;
    const names = [...this.#declared().keys()];
    if (standing?.isReadOnly === true) return names.length > 0 ? this.#work.now + limits.triggers.readOnlyMs : null;
    await this.#forgetOthers();
    let first = Infinity;
    for (const name of names) first = Math.min(first, (await this.#one(name)) ?? Infinity);
    return first === Infinity ? null : first;
  }

  /** By name, as the product is now: it may be another one behind each wait. */
  #declared(): ReadonlyMap<string, CronTriggerDefinition> {
    const triggers = [...triggersOf(this.#work.activation).byName.values()].filter(isCronTrigger);
    return new Map(triggers.map((trigger) => [trigger.name, trigger]));
  }

  /** Triggers that left the product begin anew when they come back. */
  async #forgetOthers(): Promise<void> {
    await untilFree(this.#work);
    const declared = this.#declared();
    const turn = this.#work.nextTurn();
    const gone = [...scanPlaces(turn)].filter(({ trigger }) => !declared.has(trigger));
    if (gone.length === 0) return;
    for (const { trigger } of gone) dropPlace(turn, trigger);
    await commitWhenRoom(this.#work);
  }

  /** A trigger that is new or has another schedule begins now: nothing was missed. Gives when it is due next. */
  async #one(name: string): Promise<number | null> {
    await untilFree(this.#work);
    const trigger = this.#declared().get(name);
    if (trigger === undefined) return null; // it left the product meanwhile
    const { cron } = trigger;
    const turn = this.#work.nextTurn();
    const { now } = this.#work;
    const place = placeOf(turn, name);
    const isKnown = place?.expression === cron.expression && place.timezone === cron.timezone;
    // A place of a clock that was far ahead may be far away: until then nothing would be due.
    const isOfWrongClock = now < (place?.at_ms ?? 0) - limits.triggers.setBackMs;
    const counts = isKnown && !isOfWrongClock;
    if (counts && now < place.next_ms) return place.next_ms;
    if (counts) this.#due(turn, trigger, place.next_ms);
    const nextMs = nextDueMs(cron, now);
    if (nextMs === null) dropPlace(turn, name);
    else {
      const { expression, timezone } = cron;
      putPlace(turn, { trigger: name, expression, timezone, next_ms: nextMs, at_ms: now });
    }
    await commitWhenRoom(this.#work);
    return nextMs;
  }

  /** One run at a time: a time that finds the event of an earlier one waiting is left out, and counted as dropped. */
  #due(turn: Turn, { name }: CronTriggerDefinition, dueMs: number): void {
    if (countOf(this.#work, name).waiting > 0) countChange(this.#work, name, { dropped: 1 });
    else this.#outbox.stage(turn, [this.#entry(name, dueMs)], name);
  }

  #entry(trigger: string, dueMs: number) {
    const { ids } = this.#work.activation.context;
    const [at, due] = [timestamp(this.#work.now), timestamp(dueMs)];
    const nothing = { entity: '', key: null, version: 0 } as const;
    return { id: ids.next(), trigger, kind: 'script', event: 'due', ...nothing, at, due, depth: 1 } as const;
  }
}
