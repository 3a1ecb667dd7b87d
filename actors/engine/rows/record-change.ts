/** Records every changed row, and reports it to watchers of its entity, in the commit that changes it. */
import { hash } from 'node:crypto';
import { ownerOf, type TurnOwner } from '#actors/protocol/turn-owner.ts';
import { feedChange, feedLoss } from '../changes/row-change.ts';
import { fireTriggers } from '../triggers/fire.ts';
import { isDeleted, versionOf, type Slots } from './codec.ts';
import type { EntityModel } from './model.ts';
import type { Turn } from './store.ts';

interface Change {
  readonly entity: string;
  readonly id: unknown;
  readonly verb: 'create' | 'update' | 'delete';
  readonly version: number;
  /** SHA-256 in hex of the row's JSON as the service shows it. */
  readonly sha256: string;
  /** The row could not be read: its version and hash are not known. */
  readonly damaged?: true;
  /** The role as which a script of the product made the change. */
  readonly run_as?: string;
}

/** Records one change of a turn. Nearly free where neither an audit log nor a watcher wants it. */
export function recordChange(turn: Turn, model: EntityModel, before: Slots | null, after: Slots | null): void {
  const owner = ownerOf(turn);
  if (owner === undefined) return;
  if (model.isFollowed) follow(owner, model, before, after);
  if (!owner.wantsChanges) return;
  tellWatch(owner, model, before, after);
  if (owner.recordsEvents) gather(owner, changeOf(owner, model, before, after));
}

/** What an entity declares to follow from its changes. */
function follow(owner: TurnOwner, model: EntityModel, before: Slots | null, after: Slots | null): void {
  if (model.triggers.length > 0) fireTriggers(owner, model, before, after);
  if (model.definition.changes === true) feedChange(owner, model, before, after);
}

/** Records that a row that cannot be read was removed; only its key is known. */
export function recordSetAside(turn: Turn, model: EntityModel, id: unknown): void {
  const owner = ownerOf(turn);
  if (owner === undefined) return;
  if (model.definition.changes === true) feedLoss(owner, model, id);
  if (!owner.wantsChanges) return;
  if (owner.watchedKeyOf(model.name) === model.key.name) owner.changed({ entity: model.name, id, verb: 'delete' });
  const change: Change = { entity: model.name, id, verb: 'delete', version: 0, sha256: '', damaged: true };
  if (owner.recordsEvents) gather(owner, change);
}

function gather(owner: TurnOwner, change: Change): void {
  if (owner.gathered !== null) {
    owner.gathered.push(change);
    return;
  }
  const changes = [change];
  owner.gathered = changes;
  owner.record(() => eventOf(owner, changes));
}

function tellWatch(owner: TurnOwner, model: EntityModel, before: Slots | null, after: Slots | null): void {
  const key = owner.watchedKeyOf(model.name);
  const column = key === undefined ? undefined : model.column(key);
  if (column === undefined) return;
  owner.changed({ entity: model.name, id: (after ?? before)![column.at], verb: verbOf(before, after) });
}

function verbOf(before: Slots | null, after: Slots | null): Change['verb'] {
  if (after === null || (isDeleted(after) && before !== null && !isDeleted(before))) return 'delete';
  return before === null ? 'create' : 'update';
}

function changeOf(owner: TurnOwner, model: EntityModel, before: Slots | null, after: Slots | null): Change {
  const shown = (after ?? before)!;
  return {
    entity: model.name,
    id: shown[model.key.at],
    verb: verbOf(before, after),
    version: versionOf(shown),
    sha256: hash('sha256', model.json(shown), 'hex'),
    ...(owner.runAs !== null && { run_as: owner.runAs }),
  };
}

/** The event: named after the entity and verb for one change, a list for several, such as those of a bulk chunk. */
function eventOf(owner: TurnOwner, changes: readonly Change[]) {
  const [first, ...more] = changes;
  const outcome = 'ok';
  if (more.length > 0) return owner.event({ outcome, action: 'data.rows.change', target: '', data: { rows: changes } });
  const { id, verb, ...data } = first!;
  return owner.event({
    outcome,
    action: `data.${data.entity}.${verb}`,
    target: String(id),
    data,
  });
}
