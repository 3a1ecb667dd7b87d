/**
 * Rows that cannot be read: lists, searches and exports leave them out by name, and serve the rest. Each is told once while the tenant
 * is awake, with what mends it. A request for the row itself is refused by name, and DELETE takes it out of the way.
 */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';

const MEND =
  'restore the tenant from a backup, or take it out of the way: DELETE it, or run skep tenant repair <tenant> --drop-rows';

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
    context.log.error(
      { tenant, entity, key: hex, error: error.message, mend: MEND },
      'a row cannot be read and is left out',
    );
    this.#report(entity, ids.size);
  }

  /** A row was taken out of the way. */
  gone(entity: string, id: string): void {
    const ids = this.#known.get(entity);
    if (ids?.delete(Buffer.from(id, 'latin1').toString('hex')) !== true) return;
    this.#told--;
    const { context, position } = this.#activation;
    if (ids.size > 0) this.#report(entity, ids.size);
    else context.degraded?.clear('part', `${position.key} ${entity}`);
  }

  #report(entity: string, rows: number): void {
    const { context, position } = this.#activation;
    context.degraded?.report({
      scope: 'part',
      name: `${position.key} ${entity}`,
      tenant: position.key,
      reason: `${rows} rows of ${entity} cannot be read and are left out of lists: ${MEND}`,
      lasts: 'thread',
    });
  }
}
