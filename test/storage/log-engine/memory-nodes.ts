/** The nodes of the log engine in memory (memory.ts). `rules` is here so that tests can break one at a time. */
import { NODES, type MemoryServer, type NodeTable } from './memory-server.ts';
import type { Ran, Statement } from './memory-statements.ts';
import type { Fate, MemoryLog, Via } from './memory.ts';
import type { Incarnation, NodeEngine, NodeSight, Sight } from '#storage/log-engine/nodes-port.ts';
import { OutcomeUnknown } from '#storage/log-engine/port.ts';

/** Each is true in an engine that keeps the port. */
export interface NodeRules {
  /** A life that was condemned beats no more. */
  readonly endsCondemned: boolean;
  /** Condemning compares the beat with the one that was seen. */
  readonly comparesBeat: boolean;
  /** The place of a life that serves is free only when that life is fenced. */
  readonly servesBehindFenced: boolean;
  /** The life that serves is the one that was seen. */
  readonly comparesServing: boolean;
  /** No life has begun to carry since the look of the one that is to serve. */
  readonly comparesCarried: boolean;
  /** A life carries for the one that serves alone. */
  readonly carriesForServing: boolean;
  /** What a life says of its carrying in a call that comes late is not heard. */
  readonly numbersCarrying: boolean;
}

export const KEPT_NODE_RULES: NodeRules = {
  endsCondemned: true,
  comparesBeat: true,
  servesBehindFenced: true,
  comparesServing: true,
  comparesCarried: true,
  carriesForServing: true,
  numbersCarrying: true,
};

const read = <T>(answer: T): Ran<T> => ({ rows: new Map(), answer });
const write = <T>(table: NodeTable, answer: T): Ran<T> => ({ rows: new Map(), table, answer });

/** The table with a life as it is from here on. */
function withNode(table: NodeTable, node: NodeSight): NodeTable {
  return { ...table, nodes: new Map([...table.nodes, [node.id, node]]) };
}

type BeatWords = Parameters<NodeEngine['beat']>;

const isAlive = ({ nodes }: NodeTable, id: string): boolean => nodes.get(id)?.isFenced === false;

function register(incarnation: Incarnation): Statement<void> {
  return ({ table }) => {
    const before = table.nodes.get(incarnation.id);
    const fresh = { ...incarnation, beat: 0, isFenced: false, follows: null, heir: null, carries: null };
    return write(withNode(table, before ?? fresh), undefined);
  };
}

function beatOnce([id, beat, follows = null]: BeatWords, { endsCondemned }: NodeRules): Statement<Sight | null> {
  return ({ table }) => {
    const mine = table.nodes.get(id);
    if (mine === undefined || (endsCondemned && mine.isFenced)) return read(null);
    const sight = { nodes: [...table.nodes.values()], serving: table.serving, carried: table.carried };
    return write(withNode(table, { ...mine, beat: Math.max(mine.beat, beat), follows }), sight);
  };
}

function handOver(id: string, heir: string): Statement<boolean> {
  return ({ table }) => {
    if (!isAlive(table, id) || !isAlive(table, heir)) return read(false);
    return write(withNode(table, { ...table.nodes.get(id)!, heir }), true);
  };
}

function condemn(id: string, beat: number, { comparesBeat }: NodeRules): Statement<boolean> {
  return ({ table }) => {
    const node = table.nodes.get(id);
    if (node === undefined) return read(false);
    if (!node.isFenced && comparesBeat && node.beat !== beat) return read(false);
    return write(withNode(table, { ...node, isFenced: true }), true);
  };
}

type ServeWords = Parameters<NodeEngine['serve']>;

function serve([id, seen, carried = 0]: ServeWords, rules: NodeRules): Statement<boolean> {
  return ({ table }) => {
    if (table.serving === id) return write(table, true);
    const isFree = seen === null || !isAlive(table, seen) || !rules.servesBehindFenced;
    const isSeen =
      (table.serving === seen || !rules.comparesServing) && (table.carried === carried || !rules.comparesCarried);
    if (!isSeen || !isFree || !isAlive(table, id)) return read(false);
    return write({ ...table, serving: id }, true);
  };
}

type CarryWords = Parameters<NodeEngine['carry']>;

function carry([id, serving, no]: CarryWords, rules: NodeRules): Statement<boolean> {
  return ({ table }) => {
    const mine = table.nodes.get(id);
    const newest = table.carryNos.get(id) ?? 0;
    if (mine === undefined || (no < newest && rules.numbersCarrying)) return read(false);
    if (no === newest) return write(table, true);
    const isServed = table.serving === serving || !rules.carriesForServing;
    if (serving !== null && (mine.isFenced || !isServed)) return read(false);
    const carried = table.carried + (serving === null ? 0 : 1);
    const carryNos = new Map([...table.carryNos, [id, no]]);
    return write({ ...withNode(table, { ...mine, carries: serving }), carried, carryNos }, true);
  };
}

function leave(id: string): Statement<void> {
  return ({ table }) => {
    const mine = table.nodes.get(id);
    if (mine === undefined) return read(undefined);
    const left = withNode(table, { ...mine, isFenced: true });
    return write({ ...left, serving: table.serving === id ? null : table.serving }, undefined);
  };
}

/** One caller's connection. */
export class MemoryNodes implements NodeEngine {
  readonly #log: MemoryLog;
  readonly #rules: NodeRules;
  readonly #via: Via;
  #server: MemoryServer;
  #next: Fate | undefined;

  constructor(log: MemoryLog, rules: NodeRules = KEPT_NODE_RULES, via: Via = (call) => call()) {
    this.#log = log;
    this.#rules = rules;
    this.#via = via;
    this.#server = log.primary;
  }

  /** What becomes of the next call. */
  doom(fate: Fate): void {
    this.#next = fate;
  }

  register(incarnation: Incarnation): Promise<void> {
    return this.#write(register(incarnation));
  }

  beat(...words: BeatWords): Promise<Sight | null> {
    return this.#write(beatOnce(words, this.#rules));
  }

  handOver(id: string, heir: string): Promise<boolean> {
    return this.#write(handOver(id, heir));
  }

  condemn(id: string, beat: number): Promise<boolean> {
    return this.#write(condemn(id, beat, this.#rules));
  }

  serve(...words: ServeWords): Promise<boolean> {
    return this.#write(serve(words, this.#rules));
  }

  carry(...words: CarryWords): Promise<boolean> {
    return this.#write(carry(words, this.#rules));
  }

  leave(id: string): Promise<void> {
    return this.#write(leave(id));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** A server that was replaced does not answer, and the caller goes to the new one. */
  async #write<T>(statement: Statement<T>): Promise<T> {
    const fate = this.#next;
    this.#next = undefined;
    const server = this.#log.primary;
    const isOld = this.#server !== server;
    this.#server = server;
    if (isOld) throw new OutcomeUnknown('the connection is gone');
    return this.#via(() => this.#log.send(server, [NODES], statement, fate));
  }
}
