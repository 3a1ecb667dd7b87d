/** Which subscriptions get which changed rows (docs/contract/content.md §8.1). */
import type {
  ContentAppDefinition,
  ContentEvent,
  ContentTypeDefinition,
  WebhookDefinition,
} from '#config/definitions/content/shapes.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { RowChange } from '#actors/protocol/turn-owner.ts';

export interface Subscription {
  readonly app: ContentAppDefinition;
  readonly hook: WebhookDefinition;
  readonly type: ContentTypeDefinition;
}

const EVENTS: Readonly<Record<RowChange['verb'], ContentEvent>> = {
  create: 'AfterContentCreateSuccess',
  update: 'AfterContentUpdateSuccess',
  delete: 'AfterContentDeleteSuccess',
};

export const eventOf = (verb: RowChange['verb']): ContentEvent => EVENTS[verb];

export class Subscriptions {
  /** Active subscriptions only: the others are suspended. */
  readonly #byEntity = new Map<string, Subscription[]>();
  readonly #keys = new Map<string, string>();
  readonly #hooks = new Map<string, WebhookDefinition>();

  constructor({ content }: ProductDefinition) {
    for (const app of content?.apps ?? []) {
      for (const hook of app.webhooks) this.#hooks.set(`${app.name}/${hook.name}`, hook);
      if (!app.active) continue;
      const hooks = app.webhooks.filter(({ active }) => active);
      for (const type of hooks.length === 0 ? [] : app.types) this.#add(app, hooks, type);
    }
  }

  #add(app: ContentAppDefinition, hooks: readonly WebhookDefinition[], type: ContentTypeDefinition): void {
    const present = this.#byEntity.get(type.entity) ?? [];
    this.#byEntity.set(type.entity, [...present, ...hooks.map((hook) => ({ app, hook, type }))]);
    this.#keys.set(type.entity, app.locale === null ? 'id' : 'document_id');
  }

  get none(): boolean {
    return this.#hooks.size === 0;
  }

  /** The field that identifies a document of the entity. */
  keyOf(entity: string): string | undefined {
    return this.#keys.get(entity);
  }

  /** An empty list of events subscribes to all. */
  of(entity: string, event: ContentEvent): readonly Subscription[] {
    const all = this.#byEntity.get(entity) ?? [];
    return all.filter(({ hook: { events } }) => events.length === 0 || events.includes(event));
  }

  /** Suspended ones too; undefined for one that is no longer declared. */
  hook(app: string, name: string): WebhookDefinition | undefined {
    return this.#hooks.get(`${app}/${name}`);
  }
}
