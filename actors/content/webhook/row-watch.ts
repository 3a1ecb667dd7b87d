/** Stages deliveries in the commit of the rows that they report: after a crash both exist, or neither. */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { Outbox } from '#actors/host/outbox/outbox.ts';
import type { RowWatch } from '#actors/host/row-watch.ts';
import { Work } from '#actors/host/work.ts';
import type { Trace } from '#actors/kit/trace/trace.ts';
import type { RowChange } from '#actors/protocol/turn-owner.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Delivery, DeliverySettled } from '#actors/protocol/webhook.ts';
import type { DeliveryEntry, Turn } from './store.ts';
import { eventOf, type Subscription, type Subscriptions } from './subscriptions.ts';

export type HookOutbox = Outbox<DeliveryEntry, Delivery, DeliverySettled>;

export class WebhookWatch implements RowWatch {
  readonly #activation: Activation;
  readonly #outbox: HookOutbox;
  #subscriptions: Subscriptions;
  #staged = false;

  constructor(activation: Activation, subscriptions: Subscriptions, outbox: HookOutbox) {
    this.#activation = activation;
    this.#subscriptions = subscriptions;
    this.#outbox = outbox;
  }

  get outbox(): HookOutbox {
    return this.#outbox;
  }

  get subscriptions(): Subscriptions {
    return this.#subscriptions;
  }

  /** Subscriptions for deliveries staged from now on; waiting deliveries look theirs up when they leave. */
  serve(subscriptions: Subscriptions): void {
    this.#subscriptions = subscriptions;
  }

  keyOf(entity: string): string | undefined {
    return this.#subscriptions.keyOf(entity);
  }

  /** One delivery for each subscription, entity and event of a commit; a full outbox drops and counts. */
  stage(turn: Turn, changes: readonly RowChange[]): void {
    const trace = turn.owner instanceof Work ? turn.owner.trace : null;
    const entries = grouped(changes).flatMap(({ entity, verb, documents }) =>
      this.#subscriptions
        .of(entity, eventOf(verb))
        .flatMap((subscription) => slices(documents).map((ids) => this.#entry(subscription, verb, ids, trace))),
    );
    if (entries.length === 0) return;
    const dropped = this.#outbox.stage(turn, entries);
    this.#staged = true;
    if (dropped > 0) this.#warnDropped(dropped);
  }

  committed(newest: number): void {
    if (this.#staged) this.#outbox.notify(this.#activation, newest);
    this.#staged = false;
  }

  #entry(
    { app, hook, type }: Subscription,
    verb: RowChange['verb'],
    documents: readonly string[],
    trace: Trace | null,
  ): DeliveryEntry {
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
      ...(trace !== null && { trace: trace.traceparent }),
    };
  }

  #warnDropped(dropped: number): void {
    const { context, position } = this.#activation;
    context.log.warn(
      { service: 'content', tenant: position.key, dropped },
      'the webhook outbox of the tenant is full: new deliveries are dropped; check the receivers that do not answer',
    );
  }
}

interface Group {
  readonly entity: string;
  readonly verb: RowChange['verb'];
  readonly documents: string[];
}

/** Changes by entity and event, in the order of the first change of each. */
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
