/**
 * Clients that read, create, change and remove the same few rows, and what each was told when. A row is used for a few calls, and its history is closed; a round closes them all, reads each row once more, and judges.
 */
import { judgeHistory, type Called, type Verdict } from '#test/kit/linearizable.ts';
import type { Random } from '#test/kit/random.ts';
import { registerStep, type RegisterCall, type RegisterState } from '#test/kit/row-register.ts';
import type { Gateways } from './gateways.ts';
import type { Load } from './load.ts';
import type { Answered, Reply } from './rest.ts';

const CALLS_PER_ROW = 14;
/** Calls without an outcome at a row: each doubles what the judge has to try. */
const UNKNOWN_MAX = 7;

interface Row {
  readonly id: string;
  readonly history: Called<RegisterCall>[];
  /** What a client was told last, which may be old. */
  believed: RegisterState;
  asked: number;
  unknown: number;
  underWay: number;
}

/** A history that no order explains, or none was found for. */
export interface Finding {
  readonly id: string;
  readonly verdict: Verdict;
  readonly history: readonly Called<RegisterCall>[];
}

export class RegisterClients {
  readonly #gateways: Gateways;
  readonly #random: Random;
  readonly #name: string;
  readonly #load: Load['registers'];
  readonly #open: Row[] = [];
  #closed: Row[] = [];
  readonly #clients: Promise<void>[];
  #rows = 0;
  #values = 0;
  #isOver = false;
  /** An answer that no state of a row explains. */
  #fault: unknown = null;
  #onSent: (() => void)[] = [];
  readonly counts = { histories: 0, calls: 0, unknown: 0, stale: 0 };

  /** `name`: what no other run on the same rows is called. */
  constructor(name: string, gateways: Gateways, random: Random, load: Load['registers']) {
    this.#name = name;
    this.#load = load;
    this.#gateways = gateways;
    this.#random = random;
    for (let no = 0; no < load.rows; no++) this.#open.push(this.#row());
    this.#clients = Array.from({ length: load.clients }, () =>
      this.#run().catch((error: unknown) => void (this.#fault ??= error)),
    );
  }

  /** Resolves when the next write of a client leaves. */
  sent(): Promise<void> {
    return new Promise((resolve) => this.#onSent.push(resolve));
  }

  /** Closes every history of now, and gives those that are refused. A node has to serve. */
  async judge(): Promise<readonly Finding[]> {
    if (this.#fault !== null) throw this.#fault;
    for (let at = 0; at < this.#load.rows; at++) this.#close(at);
    const rows = this.#closed;
    this.#closed = [];
    const findings: Finding[] = [];
    for (const row of rows) {
      while (row.underWay > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      if (row.history.length === 0) continue;
      while (!(await this.#call(row, 'read'))) await new Promise((resolve) => setTimeout(resolve, 5));
      const verdict = judgeHistory<RegisterState, RegisterCall>(row.history, null, registerStep);
      this.counts.histories++;
      if (verdict.is !== 'linearizable') findings.push({ id: row.id, verdict, history: row.history });
    }
    return findings;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  #row(): Row {
    return { id: `${this.#name}-${this.#rows++}`, history: [], believed: null, asked: 0, unknown: 0, underWay: 0 };
  }

  #close(at: number): void {
    this.#closed.push(this.#open[at]!);
    this.#open[at] = this.#row();
  }

  async #run(): Promise<void> {
    const { restMs, rows } = this.#load;
    while (!this.#isOver) {
      // Anything up to twice the rest, so that clients do not fall into step.
      if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#random.next() * 2 * restMs));
      const at = this.#random.below(rows);
      const row = this.#open[at]!;
      if (row.asked >= CALLS_PER_ROW || row.unknown >= UNKNOWN_MAX) this.#close(at);
      else await this.#call(row, this.#kindFor(row));
    }
  }

  #kindFor({ believed }: Row): RegisterCall['kind'] {
    if (believed === null) return this.#random.pick(['create', 'create', 'create', 'read', 'update', 'remove']);
    const kinds = ['read', 'read', 'read', 'read', 'update', 'update', 'update', 'update', 'create', 'remove'] as const;
    return this.#random.pick(kinds);
  }

  /** Whether there was an outcome. */
  async #call(row: Row, kind: RegisterCall['kind']): Promise<boolean> {
    const value = ++this.#values;
    const ifMatch =
      kind === 'update' && row.believed !== null && this.#random.chance(0.6) ? row.believed.version : null;
    row.underWay++;
    row.asked++;
    // Both gateways may be tried: the first of the calls may be the one that took effect.
    let sentAt = Infinity;
    const answered = await this.#gateways.ask(requestOf(row.id, kind, value, ifMatch), () => {
      sentAt = Math.min(sentAt, performance.now());
      if (kind !== 'read') for (const resolve of this.#onSent.splice(0)) resolve();
    });
    const answeredAt = performance.now();
    row.underWay--;
    if (answered === 'refused') {
      row.asked--;
      return false;
    }
    const did = outcomeOf(kind, value, ifMatch, answered);
    if (did === null) return false;
    const isUnknown = did.kind !== 'read' && did.outcome === 'unknown';
    row.history.push({ did, sentAt, answeredAt: isUnknown ? Infinity : answeredAt });
    this.counts.calls++;
    if (isUnknown) {
      row.unknown++;
      this.counts.unknown++;
    } else row.believed = believedAfter(row.believed, did);
    if (did.kind === 'update' && did.outcome === 'stale') this.counts.stale++;
    return !isUnknown;
  }
}

function requestOf(id: string, kind: RegisterCall['kind'], value: number, ifMatch: number | null) {
  const path = `/data/rest/register/id/${id}`;
  if (kind === 'read') return { method: 'GET', path };
  if (kind === 'remove') return { method: 'DELETE', path };
  if (kind === 'create') return { method: 'POST', path: '/data/rest/register', body: { id, value } };
  const headers: Record<string, string> = ifMatch === null ? {} : { 'If-Match': `"${ifMatch}"` };
  return { method: 'PATCH', path, headers, body: { value } };
}

/** What the answer says of the row; null for a read without an answer, which says nothing. Throws on an answer that no state of a row explains. */
function outcomeOf(
  kind: RegisterCall['kind'],
  value: number,
  ifMatch: number | null,
  answered: Exclude<Answered, 'refused'>,
): RegisterCall | null {
  if (kind === 'read') return answered === 'unknown' ? null : { kind, found: foundIn(answered) };
  if (kind === 'update') {
    if (answered === 'unknown') return { kind, value, ifMatch, outcome: 'unknown' };
    const outcomes = { 200: { version: answered.version }, 404: 'missing', 412: 'stale' } as const;
    return { kind, value, ifMatch, outcome: among(outcomes, answered) };
  }
  if (kind === 'create') {
    if (answered === 'unknown') return { kind, value, outcome: 'unknown' };
    return { kind, value, outcome: among({ 201: 'done', 409: 'exists', 422: 'exists' } as const, answered) };
  }
  if (answered === 'unknown') return { kind, outcome: 'unknown' };
  return { kind, outcome: among({ 200: 'done', 404: 'missing' } as const, answered) };
}

function among<Outcome>(outcomes: Readonly<Record<number, Outcome>>, { status, json }: Reply): Outcome {
  const outcome = outcomes[status];
  if (outcome === undefined) throw new Error(`a row was answered with ${status}: ${JSON.stringify(json)}`);
  return outcome;
}

function foundIn(reply: Reply): RegisterState {
  const found = { 200: true, 404: false };
  if (!among(found, reply)) return null;
  const [row] = (reply.json as { data: { value: number }[] }).data;
  return { value: row!.value, version: reply.version };
}

function believedAfter(before: RegisterState, call: RegisterCall): RegisterState {
  if (call.kind === 'read') return call.found;
  if (call.kind === 'remove') return null;
  if (call.kind === 'create') return call.outcome === 'done' ? { value: call.value, version: 1 } : before;
  if (call.outcome === 'missing') return null;
  return typeof call.outcome === 'object' ? { value: call.value, version: call.outcome.version } : before;
}
