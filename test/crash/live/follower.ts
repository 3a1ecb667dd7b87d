/** One subscriber over all kills: what it was told, where it goes on, and how often it came back. */
import type { Filter, ShownNote, Sight, Told } from './notes.ts';
import type { Caller } from './world.ts';

export const KINDS = ['sse', 'poll', 'live', 'graphql'] as const;
export type Kind = (typeof KINDS)[number];

export class Follower implements Sight {
  readonly kind: Kind;
  readonly caller: Caller;
  readonly filter: Filter;
  /** Null for one that begins with a snapshot, until that is whole. */
  position: number | null;
  /** What it was told since the last look. */
  told: Told[] = [];
  /** Of a snapshot: its rows so far, and its position once it is whole. */
  rows: ShownNote[] = [];
  begunAt: number | null = null;
  /** How many kills there have been since the last look. */
  kills = 0;
  /** How much it had been told when the last of so many kills cut it off. */
  cuts: { readonly kills: number; readonly told: number }[] = [];
  /** How often it came back, and went on by its position. */
  resumes = 0;
  resets = 0;
  readonly faults: string[] = [];
  isOver = false;
  #isAway = true;
  #hasBeenThere = false;

  constructor(kind: Kind, caller: Caller, filter: Filter, position: number | null) {
    this.kind = kind;
    this.caller = caller;
    this.filter = filter;
    this.position = position;
  }

  get name(): string {
    return `${this.kind} of ${this.caller.name}${this.filter.query}`;
  }

  get subject(): string | null {
    return this.caller.subject;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /** It is connected: what follows is told from its position on. */
  there(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    if (this.#hasBeenThere && this.position !== null) this.resumes++;
    this.#hasBeenThere = true;
  }

  change(told: Told): void {
    this.told.push(told);
    this.position = told.seq;
  }

  row(row: ShownNote): void {
    this.rows.push(row);
  }

  snapshot(after: number): void {
    this.begunAt = after;
    this.position = after;
  }

  reset(): void {
    this.resets++;
    this.fault('reset');
  }

  /** Its connection is gone. A snapshot that was not whole begins anew. */
  cut(): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.cuts.push({ kills: this.kills, told: this.told.length });
    if (this.position === null) this.rows = [];
  }

  /** Something that no subscriber is to be told. */
  fault(what: string): void {
    if (this.faults.length < 3) this.faults.push(`${this.name}: ${what}`);
  }

  looked(): void {
    this.told = [];
    this.cuts = [];
    this.kills = 0;
  }
}
