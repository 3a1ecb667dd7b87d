/** Every changed row is recorded, and told to who watches its entity, in the commit that changes it, whatever the way by which the change came. */
import { hash } from 'node:crypto';
import { recordedWork } from '#actors/host/work.ts';
import type { Work } from '#actors/host/work.ts';
import { isDeleted, versionOf } from './codec.ts';
import type { Slots } from './codec.ts';
import type { EntityModel } from './model.ts';
import type { Turn } from './store.ts';

interface Change {
  readonly entity: string;
  readonly id: unknown;
  readonly verb: 'create' | 'update' | 'delete';
  readonly version: number;
  /** SHA-256 in hex of the row's JSON as the service shows it. */
  readonly sha256: string;
  /** It could not be read: its version and hash are not known. */
  readonly damaged?: true;
}

/** Notes one change of a turn; where nobody wants to know it costs one look. */
export function recordChange(turn: Turn, model: EntityModel, before: Slots | null, after: Slots | null): void {
  const work = recordedWork(turn);
  if (work === undefined) return;
  tellWatch(work, model, before, after);
  if (work.activation.outbox !== undefined) gather(work, changeOf(model, before, after));
}

/** Notes that a row was taken out which cannot be read: it is known by its key alone. */
export function recordSetAside(turn: Turn, model: EntityModel, id: unknown): void {
  const work = recordedWork(turn);
  if (work === undefined) return;
  if (work.activation.rowWatch?.keyOf(model.name) === model.key.name)
    work.changed({ entity: model.name, id, verb: 'delete' });
  const change: Change = { entity: model.name, id, verb: 'delete', version: 0, sha256: '', damaged: true };
  if (work.activation.outbox !== undefined) gather(work, change);
}

function gather(work: Work, change: Change): void {
  if (work.gathered !== null) {
    work.gathered.push(change);
    return;
  }
  const changes = [change];
  work.gathered = changes;
  work.record(() => eventOf(work, changes));
}

function tellWatch(work: Work, model: EntityModel, before: Slots | null, after: Slots | null): void {
  const key = work.activation.rowWatch?.keyOf(model.name);
  const column = key === undefined ? undefined : model.column(key);
  if (column === undefined) return;
  work.changed({ entity: model.name, id: (after ?? before)![column.at], verb: verbOf(before, after) });
}

function verbOf(before: Slots | null, after: Slots | null): Change['verb'] {
  if (after === null || (isDeleted(after) && before !== null && !isDeleted(before))) return 'delete';
  return before === null ? 'create' : 'update';
}

function changeOf(model: EntityModel, before: Slots | null, after: Slots | null): Change {
  const shown = (after ?? before)!;
  return {
    entity: model.name,
    id: shown[model.key.at],
    verb: verbOf(before, after),
    version: versionOf(shown),
    sha256: hash('sha256', model.json(shown), 'hex'),
  };
}

/** One change by its own name; several, such as those of a bulk chunk, as a list. */
function eventOf(work: Work, changes: readonly Change[]) {
  const [first, ...more] = changes;
  const outcome = 'ok';
  if (more.length > 0) return work.event({ outcome, action: 'data.rows.change', target: '', data: { rows: changes } });
  const { id, verb, ...data } = first!;
  return work.event({
    outcome,
    action: `data.${data.entity}.${verb}`,
    target: String(id),
    data,
  });
}
