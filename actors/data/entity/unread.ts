/**
 * Rows that cannot be read: lists, searches and exports leave them out by name, and serve the rest. Each is told once while the tenant
 * is awake, with what mends it. A request for the row itself stays a fault.
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';

export class UnreadRows {
  readonly #activation: Activation;
  /** Ids by entity, in hexadecimal. */
  readonly #known = new Map<string, Set<string>>();
  #told = 0;

  constructor(activation: Activation) {
    this.#activation = activation;
  }

  /** A row was left out: `id` is the tail of its key. */
  note(entity: string, id: string, error: Error): void {
    let ids = this.#known.get(entity);
    if (ids === undefined) this.#known.set(entity, (ids = new Set()));
    const hex = Buffer.from(id, 'latin1').toString('hex');
    if (ids.has(hex) || this.#told === limits.data.unreadRowsTold) return;
    ids.add(hex);
    this.#told++;
    const { context, position } = this.#activation;
    const tenant = position.key;
    const mend = 'restore the tenant from a backup, or stop the node and run: skep storage repair <dir> --drop-rows';
    context.log.error({ tenant, entity, key: hex, error: error.message, mend }, 'a row cannot be read and is left out');
    context.degraded?.report({
      scope: 'part',
      name: `${tenant} ${entity}`,
      tenant,
      reason: `${ids.size} rows of ${entity} cannot be read and are left out of lists: ${mend}`,
      lasts: 'thread',
    });
  }
}
