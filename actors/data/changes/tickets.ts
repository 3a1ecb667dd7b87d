/**
 * Tickets of the change feed (docs/contract/changes.md §9): a page opens an EventSource, which sends no header, with a text that stands for a credential and a
 * query for half a minute, once. They are in the memory of their tenant's thread alone, by the hash of their text: what is lost with it was never spent.
 */
import { hash } from 'node:crypto';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { Full } from './hub.ts';
import { wantsStream } from './wish.ts';

/** What a ticket stands for. */
interface Ticket {
  readonly tenant: string;
  /** Its caller; those of each are counted. */
  readonly owner: string;
  readonly authorization: string;
  readonly query: string;
  /** Of the fine clock, in milliseconds. */
  readonly overAt: number;
}

const { perCallerMax, perTenantMax, ticketSeconds } = limits.changes;
const RANDOM_BYTES = 32;

export class Tickets {
  /** By the hash of the text, the oldest first: each lives as long as any other. */
  readonly #kept = new Map<string, Ticket>();
  /** How many each caller and each tenant has. */
  readonly #counts = new Map<string, number>();
  readonly #most: number;

  /** `most`: how many this thread may keep. */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** A ticket for the query, under the credential of the call: 43 characters of base64url; or the bound that keeps it out. */
  issue(call: Call): { readonly text: string } | Full {
    const { context, position } = call.activation;
    const { type, subject } = call.principal!;
    const owner = `${position.key} ${type} ${subject}`;
    const now = context.clock.fine();
    this.#dropUntil(now);
    if (this.#countOf(owner) >= perCallerMax) return 'caller';
    if (this.#countOf(position.key) >= perTenantMax) return 'tenant';
    if (this.#kept.size >= this.#most) return 'node';
    const text = context.random(RANDOM_BYTES).toString('base64url');
    const { authorization, rawQuery: query } = call;
    const overAt = now + ticketSeconds * 1000;
    this.#kept.set(hashOf(text), { tenant: position.key, owner, authorization, query, overAt });
    this.#count(owner, 1);
    this.#count(position.key, 1);
    return { text };
  }

  /** Puts what the ticket of a call stands for in its place, once. False, and the ticket is spent all the same: over, of another tenant, or beside a query. */
  exchange(call: Call): boolean {
    if (!call.rawQuery.includes(PARAMETER)) return false;
    const { query } = call;
    const text = query.get(PARAMETER);
    const ticket = text === null ? undefined : this.#take(hashOf(text));
    const { position, context } = call.activation;
    if (ticket === undefined || ticket.tenant !== position.key || context.clock.fine() >= ticket.overAt) return false;
    if (!isAlone(query) || !wantsStream(call)) return false;
    call.exchange(ticket.authorization, ticket.query);
    return true;
  }

  #take(key: string): Ticket | undefined {
    const ticket = this.#kept.get(key);
    if (ticket === undefined) return undefined;
    this.#kept.delete(key);
    this.#count(ticket.owner, -1);
    this.#count(ticket.tenant, -1);
    return ticket;
  }

  #dropUntil(now: number): void {
    for (const [key, { overAt }] of this.#kept) {
      if (overAt > now) return;
      this.#take(key);
    }
  }

  #countOf(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #count(name: string, more: number): void {
    const count = this.#countOf(name) + more;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}

const PARAMETER = 'ticket';
/** Parameters of a request with a ticket: what else it asks for, the ticket says. */
const OWN: ReadonlySet<string> = new Set([PARAMETER, 'position']);

function isAlone(query: URLSearchParams): boolean {
  const names = [...query.keys()];
  return names.every((name) => OWN.has(name)) && new Set(names).size === names.length;
}

const hashOf = (text: string): string => hash('sha256', text, 'base64url');
