/** Asks of identity to the whole node (topic `node.ask`): bounded, so that many requests of operators cannot pile up work on main. */
import { limits } from '#config/limits.ts';
import { Busy } from '#actors/protocol/busy.ts';
import type { AskNode, NodeVerbs } from '#actors/protocol/node-verbs.ts';

export class NodeLine {
  readonly #ask: AskNode;
  #waiting = 0;

  constructor(ask: AskNode) {
    this.#ask = ask;
  }

  /** Asks main. End the turn before and read again afterwards. Throws Busy when too many asks wait. */
  async ask<V extends keyof NodeVerbs>(verb: V, body: NodeVerbs[V]['body']): Promise<NodeVerbs[V]['reply']> {
    if (this.#waiting >= limits.identity.nodeAsksMax) throw new Busy(`${verb}: too many asks wait`);
    this.#waiting++;
    try {
      return await this.#ask(verb, body);
    } finally {
      this.#waiting--;
    }
  }
}
