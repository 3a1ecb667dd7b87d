/**
 * Rows that cannot be read: lists, searches and exports leave them out and serve the rest. Each is logged once while the tenant is
 * awake, with what mends it. A request for the row itself is refused and says so, and DELETE takes it out of the way.
 */
import { limits } from '#config/limits.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';

const MEND =
  'restore the tenant from a backup, or take it out of the way: DELETE it, or run skep tenant repair <tenant> --drop-rows';

/** Where an operator is informed. */
interface Channels {
  readonly log: { error(fields: object, message: string): void };
  readonly degraded?: Degraded;
}

export class UnreadRows {
  /** The tenant's key. */
  readonly #tenant: string;
  readonly #channels: Channels;
  /** Reported ids by entity, in hexadecimal. */
  readonly #known = new Map<string, Set<string>>();
  #reported = 0;

  constructor(tenant: string, channels: Channels) {
    this.#tenant = tenant;
    this.#channels = channels;
  }

  /** Reports that a row was left out; `id` is the tail of its key. */
  note(entity: string, id: string, error: Error): void {
    let ids = this.#known.get(entity);
    if (ids === undefined) this.#known.set(entity, (ids = new Set()));
    const hex = Buffer.from(id, 'latin1').toString('hex');
    if (ids.has(hex) || this.#reported === limits.data.unreadRowsTold) return;
    ids.add(hex);
    this.#reported++;
    this.#channels.log.error(
      { tenant: this.#tenant, entity, key: hex, error: error.message, mend: MEND },
      'a row cannot be read and is left out',
    );
    this.#report(entity, ids.size);
  }

  /** Withdraws the report of a row that was taken out of the way. */
  gone(entity: string, id: string): void {
    const ids = this.#known.get(entity);
    if (ids?.delete(Buffer.from(id, 'latin1').toString('hex')) !== true) return;
    this.#reported--;
    if (ids.size > 0) this.#report(entity, ids.size);
    else this.#channels.degraded?.clear('part', `${this.#tenant} ${entity}`);
  }

  #report(entity: string, rows: number): void {
    this.#channels.degraded?.report({
      scope: 'part',
      name: `${this.#tenant} ${entity}`,
      tenant: this.#tenant,
      reason: `${rows} rows of ${entity} cannot be read and are left out of lists: ${MEND}`,
      lasts: 'thread',
    });
  }
}
