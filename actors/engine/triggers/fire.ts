/** Which triggers a change of a row fires. Only entities that have some come here. */
import { isDeepStrictEqual } from 'node:util';
import type { TriggerEvent } from '#config/definitions/trigger-shapes.ts';
import type { ChangeScope } from '#actors/kit/rule.ts';
import type { TurnOwner } from '#actors/protocol/turn-owner.ts';
import { isDeleted, versionOf, type Slots } from '../rows/codec.ts';
import type { EntityModel } from '../rows/model.ts';
import type { RowTrigger } from './row-trigger.ts';

type Fired = Pick<EntityModel, 'name' | 'key' | 'shape' | 'triggers'>;

/** Tells the owner of the turn of each trigger that the change fires. Throws OutOfFuel when a condition cannot be decided. */
export function fireTriggers(owner: TurnOwner, model: Fired, before: Slots | null, after: Slots | null): void {
  const event = triggerEventOf(before, after);
  if (event === null) return;
  const shown = (after ?? before)!;
  let scope: ChangeScope | null = null;
  for (const trigger of model.triggers) {
    if (!trigger.events.has(event)) continue;
    if (event === 'updated' && !changesOne(trigger, before!, after!)) continue;
    if (trigger.when !== null) {
      scope ??= scopeOf(owner, model, event, before, after);
      if (!meets(owner, trigger, scope)) continue;
    }
    const { name, kind } = trigger;
    owner.fired({
      trigger: name,
      kind,
      entity: model.name,
      event,
      key: shown[model.key.at],
      version: versionOf(shown),
    });
  }
}

/**
 * What happened to the row as its readers see it; null for what they do not see: a change of a row that is deleted already. `before` is null
 * for a new row, `after` for one that is gone.
 */
export function triggerEventOf(before: Slots | null, after: Slots | null): TriggerEvent | null {
  const was = before !== null && !isDeleted(before);
  const is = after !== null && !isDeleted(after);
  if (was) return is ? 'updated' : 'deleted';
  if (!is) return null;
  return before === null ? 'created' : 'restored';
}

function changesOne({ changed }: RowTrigger, before: Slots, after: Slots): boolean {
  return changed === null || changed.some((at) => !isDeepStrictEqual(before[at], after[at]));
}

/** A deleted row is seen as it was. */
function scopeOf(
  owner: TurnOwner,
  { shape }: Fired,
  event: TriggerEvent,
  before: Slots | null,
  after: Slots | null,
): ChangeScope {
  const old = before === null ? {} : shape(before);
  const row = event === 'deleted' ? old : shape(after!);
  return { row, old, now: new Date(owner.now) };
}

/** A condition that gives no answer does not fire: the write itself must not fail by it. */
function meets(owner: TurnOwner, { name, when }: RowTrigger, scope: ChangeScope): boolean {
  return when!(scope, (fault) => owner.conditionFailed(name, fault));
}
