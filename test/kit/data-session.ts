/** The data engine below the wire: models over a store, and sessions whose turns a test commits itself. */
import type { Session } from '#actors/engine/rows/session.ts';
import type { Models } from '#actors/engine/rows/models.ts';
import { modelSteps } from '#actors/engine/view/models.ts';
import { atOnce } from '#actors/kit/pace/steps.ts';
import { extendSchema } from '#actors/engine/schema/extend.ts';
import { diffSchema } from '#actors/engine/schema/diff.ts';
import { EMPTY_SCHEMA } from '#actors/engine/schema/store.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import type { Turn } from '#storage/port.ts';
import { USER } from './data-call.ts';

export class Engine {
  readonly store = new MemoryStore();
  readonly clock = new SimulatedClock();
  readonly ids = new IdSource(this.clock);
  readonly models: Models;
  yields = 0;
  holds = 0;
  #turn: Turn;

  constructor(product: ProductDefinition) {
    const schema = extendSchema(EMPTY_SCHEMA, diffSchema(EMPTY_SCHEMA, product).steps, product);
    this.models = atOnce(modelSteps(product, schema));
    this.#turn = this.store.begin();
  }

  get turn(): Turn {
    return this.#turn;
  }

  /** Ends the turn with what is staged in it, or without. */
  end(commit: boolean): void {
    if (commit && this.#turn.dirty) this.#turn.commit();
    else this.#turn.abort();
    this.#turn = this.store.begin();
  }

  session(principal: Principal = USER): Session {
    return {
      principal,
      clock: this.clock,
      ids: this.ids,
      random: (bytes) => Buffer.alloc(bytes, 7),
      turn: () => this.#turn,
      hold: () => void this.holds++,
      snapshot: () => this.store.snapshot(),
      beginSlices: () => null,
      yieldTurn: () => {
        this.yields++;
        return Promise.resolve();
      },
      model: (entity) => this.models.get(entity),
    };
  }
}

export const asRequest = (entity: string) => ({ method: 'GET', operation: 'read', entity, id: null, data: null });
