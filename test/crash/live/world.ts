/** What writers and subscribers share: where the node is now, credentials, and whether the test is over. */
import { expect } from 'vitest';
import { TENANT } from '#test/kit/platform-file.ts';
import { call, exchange, positionHeaders, type Headers } from '#test/kit/test-node.ts';
import type { KillableNode } from './killable-node.ts';

/** A credential outlives no stream that shows it (15 minutes). */
const FRESH_MS = 240_000;
export const PASSWORD = 'correct horse battery';

export interface Caller {
  readonly name: string;
  /** Null for a service. */
  readonly subject: string | null;
  /** The key of a service; else null. */
  readonly key: string | null;
}

export class World {
  readonly callers: readonly Caller[];
  isOver = false;
  #node: KillableNode;
  readonly #tokens = new Map<string, string>();
  #freshAt = -Infinity;

  constructor(callers: readonly Caller[], node: KillableNode) {
    this.callers = callers;
    this.#node = node;
  }

  get node(): KillableNode {
    return this.#node;
  }

  get gateway(): string {
    return this.#node.gateway;
  }

  token({ name }: Caller): string {
    return this.#tokens.get(name)!;
  }

  headers(caller: Caller): Headers {
    return { ...positionHeaders(TENANT), Authorization: `Bearer ${this.token(caller)}` };
  }

  /** Callers use a node that has just started: no stream is open, so that none shows an older credential. */
  async enter(node: KillableNode): Promise<void> {
    if (performance.now() - this.#freshAt > FRESH_MS) {
      for (const caller of this.callers) this.#tokens.set(caller.name, await tokenOf(node.gateway, caller));
      this.#freshAt = performance.now();
    }
    this.#node = node;
  }
}

async function tokenOf(gateway: string, { name, key }: Caller): Promise<string> {
  if (key !== null) return exchange(gateway, key);
  const body = { login: `${name}@example.org`, password: PASSWORD };
  const { status, text, json } = await call(gateway, 'POST', '/auth/login', positionHeaders(TENANT), body);
  expect(status, text).toBe(200);
  return (json as { access_token: string }).access_token;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
