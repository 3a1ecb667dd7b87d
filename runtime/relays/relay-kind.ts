/** What a relay needs to know of the parcels that it passes: over which topics they travel, and its bounds. */
import type { Channel } from '#actors/protocol/channel.ts';
import type { MailOutcome } from '#actors/protocol/mail.ts';
import type { OutboxWish, Pending, Taken } from '#actors/protocol/outbox.ts';

/** The address of a parcel, and of the answer for it. */
export interface Place {
  readonly tenantNo: number;
  /** The parcel's id, unique within its tenant. */
  readonly id: string;
}

/** One kind of parcel `P` with its answers `S`: the topics over which it travels, and its bounds. */
export interface RelayKind<P, S> {
  /** The kind's name in log lines. */
  readonly name: string;
  /** The most parcels that the receiver holds at once; the others wait in their outboxes. */
  readonly heldMax: number;
  /** How many tenants' outboxes are asked at once. */
  readonly tenantsMax: number;
  /** Milliseconds until an outbox that could not be reached is asked again. */
  readonly retryMs: number;
  /**
   * Milliseconds for which an outbox that has handed out all it had is not asked again, so that what comes meanwhile leaves together: an outbox that is
   * asked reads past all that is held. Absent: none.
   */
  readonly gatherMs?: number;
  placeOf(of: P | S): Place;
  /** What became of a parcel; absent where an answer says only that it is stored. */
  outcomeOf?(answer: S): MailOutcome;
  /** Listens to a thread that has outboxes. */
  hearPending(source: Channel, pending: (news: Pending) => null): void;
  take(source: Channel, wish: OutboxWish): Promise<Taken<P>>;
  settle(source: Channel, answer: S): Promise<null>;
  /** How the receiver gets parcels and answers for them. */
  readonly delivery: DeliveryOf<P, S>;
}

type DeliveryOf<P, S> = AnsweredAtOnce<P, S> | AnsweredLater<P, S>;

/** The receiver answers the handover itself; a parcel that it refuses is taken from its outbox again. */
interface AnsweredAtOnce<P, S> {
  readonly answers: 'at once';
  hand(receiver: Channel, parcel: P): Promise<S>;
}

/** The receiver holds parcels until it answers for them or dies. */
interface AnsweredLater<P, S> {
  readonly answers: 'later';
  hand(receiver: Channel, parcels: readonly P[]): Promise<null>;
  hear(receiver: Channel, settled: (answer: S) => null): void;
  /** Has the receiver drop the parcels of these tenants; resolves when none of them can leave any more. */
  forget(receiver: Channel, tenantNos: readonly number[]): Promise<null>;
}
