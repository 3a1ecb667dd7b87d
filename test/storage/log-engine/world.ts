/** An engine as the cases meet it: several callers, each of whose calls can go wrong in a way that is told. Helpers that write and read in one line. */
import { randomUUID } from 'node:crypto';
import { chained } from '#storage/log-engine/chain.ts';
import type { Fate } from './memory.ts';
import type { AppendOutcome, Chain, Claim, LogEngine, LogEntry } from '#storage/log-engine/port.ts';
import { OutcomeUnknown } from '#storage/log-engine/port.ts';

export interface Peer {
  readonly engine: LogEngine;
  /** What becomes of the next call. */
  readonly doom: (fate: Fate) => void;
}

export interface World {
  readonly connect: () => Promise<Peer>;
  /** Requests that their callers gave up arrive now, and have run when it resolves. */
  readonly deliver: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export type OpenWorld = (shards: number) => Promise<World>;

export const MIB = 1024 * 1024;

/** A writer's place in a shard's log. */
export class Writer {
  readonly engine: LogEngine;
  readonly claim: Claim;
  seq: number;
  chain: Chain;
  confirmed = 0;

  constructor(engine: LogEngine, claim: Claim) {
    this.engine = engine;
    this.claim = claim;
    this.seq = claim.tail;
    this.chain = claim.chain;
  }

  /** The next entry; it is the next again until `took` says that it is in the log. */
  next(body: string | Uint8Array, more: Partial<LogEntry> = {}): LogEntry {
    const { shard, epoch } = this.claim;
    const bytes = Buffer.from(body);
    const plain = { shard, epoch, seq: this.seq + 1, confirmed: this.confirmed, first: 0, time: 0, ...more };
    return chained(this.chain, { ...plain, body: bytes });
  }

  took({ seq, chain }: LogEntry): void {
    this.seq = seq;
    this.chain = chain;
    this.confirmed = seq;
  }

  /** One entry, whose outcome is known when this resolves. */
  async write(body: string | Uint8Array, more: Partial<LogEntry> = {}): Promise<AppendOutcome> {
    const entry = this.next(body, more);
    const outcome = await appended(this.engine, entry);
    if (outcome === 'durable') this.took(entry);
    return outcome;
  }
}

export async function appended(engine: LogEngine, entry: LogEntry): Promise<AppendOutcome> {
  const [outcome] = await engine.append([entry]);
  return outcome!;
}

/** Whether the outcome of a call is unknown. */
export async function isUnknown(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return false;
  } catch (error) {
    if (error instanceof OutcomeUnknown) return true;
    throw error;
  }
}

export async function claimed(engine: LogEngine, shard = 0, owner = 'a'): Promise<Writer> {
  const { epoch } = await engine.look(shard);
  const claim = await engine.claim({ shard, seen: epoch, owner, token: randomUUID() });
  if (claim === null) throw new Error(`shard ${shard} was claimed by another`);
  return new Writer(engine, claim);
}

export function text({ epoch, seq, body }: LogEntry): string {
  return `${epoch}/${seq} ${Buffer.from(body).toString('latin1')}`;
}

/** All that the owner of the newest epoch reads. */
export async function logOf(engine: LogEngine, shard = 0): Promise<string[]> {
  const { epoch, trimmed } = await engine.look(shard);
  const chunk = await engine.readOwn(shard, epoch, trimmed, 64 * MIB);
  return chunk!.entries.map(text);
}
