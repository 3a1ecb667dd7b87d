/** Identity's line to the whole node (topic `node.ask`): bounded, so that operators in a hurry cannot pile up work on main. */
import { limits } from '#config/limits.ts';
import type { AskNode, NodeVerbs } from '#actors/protocol/node-verbs.ts';

/** Every place on the line is taken: a retry makes sense. */
export class NodeBusy extends Error {}

export class NodeLine {
  readonly #ask: AskNode;
  #waiting = 0;

  constructor(ask: AskNode) {
    this.#ask = ask;
  }

  /** Asks, holding no turn: what was read before is to be read again. Throws NodeBusy when too many wait. */
  async ask<V extends keyof NodeVerbs>(verb: V, body: NodeVerbs[V]['body']): Promise<NodeVerbs[V]['reply']> {
    if (this.#waiting >= limits.identity.nodeAsksMax) throw new NodeBusy(`${verb}: too many wait`);
    this.#waiting++;
    try {
      return await this.#ask(verb, body);
    } finally {
      this.#waiting--;
    }
  }
}
