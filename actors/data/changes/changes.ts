/** The change feed of a thread's tenants: where changes are kept, which callers subscribe to them, and what ends all subscriptions (docs/contract/changes.md). */
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { Work } from '#actors/host/work.ts';
import { Bound } from '#actors/kit/bound.ts';
import type { LiveCounts } from '../live-counts.ts';
import { partOf } from '../part.ts';
import { Hub, type HubPorts } from './hub.ts';
import { ChangeLog } from './log.ts';
import type { Authorize } from './round.ts';
import { findHead } from './store.ts';
import { Sweeper } from './sweep.ts';
import { Tickets } from './tickets.ts';

export interface Feed {
  readonly log: ChangeLog;
  readonly hub: Hub;
  readonly sweeper: Sweeper;
}

export interface ChangesPorts {
  readonly authorize: Authorize;
  /** Subscribers that this thread may have, and tickets. */
  readonly subscribersMax: number;
  /** Where subscribers are counted. */
  readonly counts: LiveCounts['subscribers'];
  readonly every?: HubPorts['every'] | undefined;
  readonly after?: HubPorts['after'];
}

const FEED = new Part<Feed>('change feed');

export const everyOf: HubPorts['every'] = (ms, run) => {
  const timer = setInterval(run, ms).unref();
  return () => clearInterval(timer);
};

export class Changes {
  readonly #ports: ChangesPorts;
  /** Tickets of the thread's tenants. */
  readonly tickets: Tickets;
  /** Places of subscribers of this thread, members of channels among them. */
  readonly places: Bound;
  /** Hubs that have subscribers, or had some. */
  readonly #hubs = new Set<Hub>();
  isRetiring = false;

  constructor(ports: ChangesPorts) {
    this.#ports = ports;
    this.places = new Bound(ports.subscribersMax);
    this.tickets = new Tickets(ports.subscribersMax);
  }

  /** Keeps the changes of a tenant that wakes, where its entities declare them. */
  wake(activation: Activation): void {
    const sweeper = new Sweeper(activation);
    const log = new ChangeLog(activation, {
      models: () => partOf(activation).models,
      durable: () => hub.changed(),
      grown: (head) => sweeper.look(head),
    });
    const { authorize, counts, every = everyOf, after } = this.#ports;
    const hub = new Hub(activation, { log, sweeper, authorize, places: this.places, counts, every, after });
    FEED.set(activation, { log, hub, sweeper });
    activation.changeWatch = log;
    if (Object.values(activation.product.entities).some(({ changes }) => changes === true)) sweeper.soon();
  }

  of(activation: Activation): Feed {
    const feed = FEED.of(activation);
    for (const hub of this.#hubs) if (hub.size === 0) this.#hubs.delete(hub);
    this.#hubs.add(feed.hub);
    return feed;
  }

  /** The node is about to stop: streams end, polls are answered, and there are no further ones. */
  retire(): void {
    this.isRetiring = true;
    for (const hub of this.#hubs) hub.end('leaving');
  }
}

/** Makes all positions of a tenant too old, and removes what is kept: rows of an erased person are in it. */
export function forgetChanges(activation: Activation): void {
  const feed = FEED.find(activation);
  const work = new Work(activation);
  if (feed === undefined || findHead(work.turn()) === undefined) {
    work.abort();
    return;
  }
  feed.log.raise(work.turn());
  work.commit();
  feed.sweeper.soon();
  feed.hub.stir();
}
