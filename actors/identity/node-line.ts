/** Identity's line to the whole node (topic `node.ask`): bounded, so that operators in a hurry cannot pile up work on main. */
import { limits } from '#config/limits.ts';
import { Busy } from '#actors/protocol/busy.ts';
import type { AskNode, NodeVerbs } from '#actors/protocol/node-verbs.ts';

export class NodeLine {
  readonly #ask: AskNode;
  #waiting = 0;

  constructor(ask: AskNode) {
    this.#ask = ask;
  }

  /** Asks, holding no turn: what was read before is to be read again. Throws Busy when too many wait. */
  async ask<V extends keyof NodeVerbs>(verb: V, body: NodeVerbs[V]['body']): Promise<NodeVerbs[V]['reply']> {
    if (this.#waiting >= limits.identity.nodeAsksMax) throw new Busy(`${verb}: too many wait`);
    this.#waiting++;
    try {
      return await this.#ask(verb, body);
    } finally {
      this.#waiting--;
    }
  }
}
