/** The outboxes of services, by kind: a thread's shell answers main's asks with them. */
import type { Mail, MailSettled } from '#actors/protocol/mail.ts';
import type { OutboxWish, Taken } from '#actors/protocol/outbox.ts';
import type { Delivery, DeliverySettled } from '#actors/protocol/webhook.ts';
import type { Work } from '../work.ts';
import type { ServedOutbox } from './outbox.ts';

export interface Outboxes {
  readonly mail?: ServedOutbox<Mail, MailSettled>;
  readonly hook?: ServedOutbox<Delivery, DeliverySettled>;
}

/** The outboxes of all services of a thread: those of one kind are emptied as one. */
export function joinOutboxes(services: readonly (Outboxes | undefined)[]): Outboxes {
  const mail = joined(services.flatMap((service) => service?.mail ?? []));
  const hook = joined(services.flatMap((service) => service?.hook ?? []));
  return { ...(mail !== null && { mail }), ...(hook !== null && { hook }) };
}

function joined<P, A>(all: readonly ServedOutbox<P, A>[]): ServedOutbox<P, A> | null {
  const [first, ...others] = all;
  return first === undefined ? null : others.reduce((one, other) => new JoinedOutbox(one, other), first);
}

/** Two outboxes of one kind. Ids are unique within a tenant, so an answer settles the entry of the one that has it. */
class JoinedOutbox<P, A> implements ServedOutbox<P, A> {
  #next: ServedOutbox<P, A>;
  #other: ServedOutbox<P, A>;

  constructor(first: ServedOutbox<P, A>, second: ServedOutbox<P, A>) {
    this.#next = first;
    this.#other = second;
  }

  /** They take turns in being asked first, so that a full one does not keep the other waiting. */
  take(work: Work, { except, limit }: Omit<OutboxWish, 'tenantNo'>): Taken<P> {
    const [first, second] = [this.#next, this.#other];
    this.#next = second;
    this.#other = first;
    const one = first.take(work, { except, limit });
    const two = second.take(work, { except, limit: limit - one.parcels.length });
    return { parcels: [...one.parcels, ...two.parcels], more: one.more || two.more };
  }

  settle(work: Work, answer: A): null {
    this.#next.settle(work, answer);
    return this.#other.settle(work, answer);
  }
}
