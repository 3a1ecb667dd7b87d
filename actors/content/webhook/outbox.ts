/** Deliveries are staged in the commit of the rows that they tell of: all of it is there after a crash, or nothing. */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { RowWatch } from '#actors/host/row-watch.ts';
import type { RowChange } from '#actors/protocol/turn-owner.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { countOf, putCount, putEntry } from './store.ts';
import type { DeliveryEntry, Turn } from './store.ts';
import { eventOf } from './subscriptions.ts';
import type { Subscription, Subscriptions } from './subscriptions.ts';

export class WebhookOutbox implements RowWatch {
  readonly #activation: Activation;
  #subscriptions: Subscriptions;
  readonly #pending: (tenantNo: number) => void;
  #staged = false;
  /** Main knows that something waits, and will ask. */
  #told = false;

  /** `pending` tells main that there is something; what it is is durable by then. */
  constructor(activation: Activation, subscriptions: Subscriptions, pending: (tenantNo: number) => void) {
    this.#activation = activation;
    this.#subscriptions = subscriptions;
    this.#pending = pending;
  }

  get subscriptions(): Subscriptions {
    return this.#subscriptions;
  }

  /** What is staged from now on; what waits is looked up when it leaves. */
  serve(subscriptions: Subscriptions): void {
    this.#subscriptions = subscriptions;
  }

  keyOf(entity: string): string | undefined {
    return this.#subscriptions.keyOf(entity);
  }

  /** One delivery for each subscription, entity and event of a commit; a full outbox drops and counts. */
  stage(turn: Turn, changes: readonly RowChange[]): void {
    const entries = grouped(changes).flatMap(({ entity, verb, documents }) =>
      this.#subscriptions
        .of(entity, eventOf(verb))
        .flatMap((subscription) => slices(documents).map((ids) => this.#entry(subscription, verb, ids))),
    );
    if (entries.length === 0) return;
    const count = countOf(turn);
    const room = Math.max(0, limits.content.webhookOutboxEntriesMax - count.waiting);
    const taken = entries.slice(0, room);
    for (const entry of taken) putEntry(turn, entry);
    this.#staged = true;
    const dropped = entries.length - taken.length;
    putCount(turn, { ...count, waiting: count.waiting + taken.length, dropped: count.dropped + dropped });
    if (dropped > 0) this.#tellDropped(dropped);
  }

  committed(newest: number): void {
    if (this.#staged && !this.#told) this.tell(newest);
    this.#staged = false;
  }

  /** Main has been given everything that waits. */
  emptied(): void {
    this.#told = false;
  }

  tell(newest: number): void {
    this.#told = true;
    const { store, tenantNo } = this.#activation;
    store.whenDurable(newest, () => this.#pending(tenantNo));
  }

  #entry({ app, hook, type }: Subscription, verb: RowChange['verb'], documents: readonly string[]): DeliveryEntry {
    const { clock, ids } = this.#activation.context;
    const { entity, space, name } = type;
    const at = timestamp(clock.now());
    return {
      id: ids.next(),
      app: app.name,
      hook: hook.name,
      event: eventOf(verb),
      entity,
      space,
      type: name,
      documents,
      at,
    };
  }

  #tellDropped(dropped: number): void {
    const { context, position } = this.#activation;
    context.log.warn(
      { service: 'content', tenant: position.key, dropped },
      'the webhook outbox is full: deliveries dropped',
    );
  }
}

interface Group {
  readonly entity: string;
  readonly verb: RowChange['verb'];
  readonly documents: string[];
}

/** In the order of the first change of each. */
function grouped(changes: readonly RowChange[]): Group[] {
  const groups = new Map<string, Group & { readonly seen: Set<string> }>();
  for (const { entity, verb, id } of changes) {
    const key = `${entity} ${verb}`;
    const group = groups.get(key) ?? { entity, verb, documents: [], seen: new Set() };
    groups.set(key, group);
    const document = String(id);
    if (group.seen.has(document)) continue;
    group.seen.add(document);
    group.documents.push(document);
  }
  return [...groups.values()];
}

function slices(documents: readonly string[]): string[][] {
  const most = limits.content.webhookDocumentsMax;
  const count = Math.ceil(documents.length / most);
  return Array.from({ length: count }, (_, at) => documents.slice(at * most, (at + 1) * most));
}
