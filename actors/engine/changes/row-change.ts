/** A change of a row as subscribers of its entity are told of it later. Only entities that declare `changes` come here (docs/contract/changes.md §2). */
import type { FedChange, TurnOwner } from '#actors/protocol/turn-owner.ts';
import { versionOf, type Slots } from '../rows/codec.ts';
import { encodeSlots } from '../rows/store.ts';
import { triggerEventOf } from '../triggers/fire.ts';

interface Fed {
  readonly name: string;
  readonly key: { readonly at: number };
}

const OPS = { created: 'create', updated: 'update', deleted: 'delete', restored: 'restore' } as const;

/** Tells the owner of the turn of a change, with both states of the row; nothing for a row that was deleted before and is still. */
export function feedChange(owner: TurnOwner, model: Fed, before: Slots | null, after: Slots | null): void {
  const event = triggerEventOf(before, after);
  if (event === null) return;
  const shown = (after ?? before)!;
  owner.fed({
    op: OPS[event],
    entity: model.name,
    id: shown[model.key.at],
    version: versionOf(shown),
    before: before === null || event === 'restored' ? null : encodeSlots(before),
    after: after === null || event === 'deleted' ? null : encodeSlots(after),
  });
}

/** Tells it that a row was removed of which only the id is known. */
export function feedLoss(owner: TurnOwner, { name }: Fed, id: unknown): void {
  const change: FedChange = { op: 'lost', entity: name, id, version: 0, before: null, after: null };
  owner.fed(change);
}
