/** One subscriber: how far it has come, and what it waits for. The hub (hub.ts) serves it. */
import type { Call } from '#actors/host/call.ts';
import type { Models } from '#actors/engine/rows/models.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { SubscriberKind } from '../live-counts.ts';
import { LiveWait, type EndReason } from '../live-wait.ts';
import type { Reading, Told } from './judge.ts';
import type { Wish } from './wish.ts';

export type Round =
  | { readonly kind: 'told'; readonly told: readonly Told[]; readonly after: number; readonly more: boolean }
  /** Nothing was to tell in the time that the subscriber gave. */
  | { readonly kind: 'idle'; readonly after: number }
  /** The position is too old or unknown; `after`: the one from which a new beginning goes on. */
  | { readonly kind: 'reset'; readonly after: number }
  | { readonly kind: 'end'; readonly reason: EndReason; readonly after: number };

export class Subscription extends LiveWait<Round> {
  readonly call: Call;
  readonly wish: Wish;
  /** Who it counts to. */
  readonly owner: string;
  readonly kind: SubscriberKind;
  /** The last position that its caller knows. */
  told: number;
  /** Every change up to here was judged for it. */
  scanned: number;
  /** When it was last served, nothing was left to judge for it. */
  isCaughtUp = false;
  /** Which of the hub's occasions were over when it was last served. */
  lookedAt = -1;
  /** What its wish is under these models and this principal. */
  prepared: { readonly models: Models; readonly principal: Principal; readonly reading: Reading } | null = null;

  constructor(call: Call, wish: Wish, owner: string, kind: SubscriberKind, from: number) {
    super();
    this.call = call;
    this.wish = wish;
    this.owner = owner;
    this.kind = kind;
    this.told = from;
    this.scanned = from;
  }

  over(): Round {
    return { kind: 'end', reason: this.ended ?? 'gone', after: this.told };
  }
}
