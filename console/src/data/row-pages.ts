/**
 * The rows of a view, of which a window is shown: pages of equal size at their places, asked for as the reader comes near. A page behind one that was seen is asked by the cursor between the two, also on the
 * way back, so that its cost does not grow with its place; only a jump into the unknown is asked by offset. Rows of far pages are forgotten, their cursors are not. No part of it knows the network.
 */
import type { Envelope, Row } from './shapes.ts';

export const PAGE_ROWS = 200;
/** Pages whose rows are kept. */
const PAGES_MAX = 40;
const LOADS_MAX = 3;
/** A page without a cursor waits so long for the reader to stop there. */
const JUMP_MS = 120;
export type Where = { readonly after: string } | { readonly offset: number };

export interface RowPagesPorts {
  /** Asks for at most `limit` rows. */
  ask(where: Where, limit: number, signal: AbortSignal): Promise<Envelope>;
  /** Called behind each change. */
  changed(): void;
  /** Runs later; gives what cancels it. */
  later(run: () => void, ms: number): () => void;
}

export class RowPages {
  readonly #ports: RowPagesPorts;
  /** Rows by page, the page that was asked for last at the end. */
  readonly #rows = new Map<number, Row[]>();
  /** The cursor of the last row of a page. */
  readonly #ends = new Map<number, string>();
  readonly #asked = new Map<number, AbortController>();
  /** What ends when a page that was asked for has come, or will not. */
  readonly #coming = new Map<number, Promise<void>>();
  #total: number | null = null;
  /** Where the total is not known: how many rows there are at least. */
  #known = 0;
  #wanted: readonly [number, number] = [0, 0];
  #stopJump = (): void => undefined;
  #fault: Error | null = null;

  constructor(ports: RowPagesPorts) {
    this.#ports = ports;
  }

  /** How many rows there are to scroll over. */
  get length(): number {
    return this.#total ?? this.#known;
  }

  /** Null until the first page has come. */
  get total(): number | null {
    return this.#total;
  }

  get fault(): Error | null {
    return this.#fault;
  }

  get isEmpty(): boolean {
    return this.#rows.size > 0 && this.length === 0;
  }

  /** How many rows there are in all, as another request says. */
  setTotal(total: number | null): void {
    if (total === this.#total) return;
    this.#total = total;
    this.#ports.changed();
  }

  /** Undefined for a row that is not here (yet). */
  row(at: number): Row | undefined {
    return this.#rows.get(Math.floor(at / PAGE_ROWS))?.[at % PAGE_ROWS];
  }

  /** Whether every row of the view is here. */
  get isWhole(): boolean {
    return this.#total !== null && [...this.#rows.values()].reduce((sum, { length }) => sum + length, 0) >= this.#total;
  }

  /** Whether such a row is here. */
  has(is: (row: Row) => boolean): boolean {
    return [...this.#rows.values()].some((rows) => rows.some(is));
  }

  /** Shows a row otherwise: a change that is under way, or what came of it. */
  replace(is: (row: Row) => boolean, change: (row: Row) => Row): void {
    for (const rows of this.#rows.values()) {
      const at = rows.findIndex(is);
      if (at >= 0) rows[at] = change(rows[at]!);
    }
    this.#ports.changed();
  }

  /** The reader looks at these rows. */
  want(first: number, last: number): void {
    this.#wanted = [pageOf(Math.max(0, first)), pageOf(Math.max(0, last))];
    this.#askForWanted();
  }

  /** Has these rows come, wherever the reader looks; false where one of them did not. Few of them: they push others out. */
  async load(first: number, last: number): Promise<boolean> {
    // Where the total is not known, it grows with each page.
    for (let page = pageOf(first); page <= pageOf(Math.min(last, this.length - 1)); page++) {
      // A page that was asked for and given up, as by a reset, is asked for once more.
      for (let tries = 0; tries < LOADS_MAX && !this.#rows.has(page) && this.#fault === null; tries++)
        await (this.#asked.has(page)
          ? this.#coming.get(page)
          : this.#ask(page, this.#wayTo(page) ?? { offset: page * PAGE_ROWS }));
      if (!this.#rows.has(page)) return false;
    }
    return true;
  }

  /** Everything anew: rows came or went, so that no place is sure. */
  reset(): void {
    this.#asked.forEach((controller) => controller.abort());
    for (const map of [this.#rows, this.#ends, this.#asked]) map.clear();
    this.#fault = null;
    this.#askForWanted();
  }

  stop(): void {
    this.#stopJump();
    this.#asked.forEach((controller) => controller.abort());
  }

  #askForWanted(): void {
    this.#stopJump();
    if (this.#fault !== null) return;
    const jumps: number[] = [];
    for (let page = this.#wanted[0]; page <= this.#wanted[1]; page++) {
      if (page > 0 && page * PAGE_ROWS >= this.length) break;
      if (this.#rows.has(page)) this.#touch(page);
      else if (!this.#asked.has(page)) {
        const where = this.#wayTo(page);
        if (where === null) jumps.push(page);
        else void this.#ask(page, where);
      }
    }
    const [jump] = jumps;
    if (jump === undefined || this.#asked.has(jump - 1) || this.#asked.has(jump + 1)) return;
    this.#stopJump = this.#ports.later(() => void this.#ask(jump, { offset: jump * PAGE_ROWS }), JUMP_MS);
  }

  /** Null where no cursor leads to a page. */
  #wayTo(page: number): Where | null {
    if (page === 0) return { after: '' };
    const end = this.#ends.get(page - 1);
    return end === undefined ? null : { after: end };
  }

  #ask(page: number, where: Where): Promise<void> {
    const coming = this.#answered(page, where);
    this.#coming.set(page, coming);
    return coming;
  }

  async #answered(page: number, where: Where): Promise<void> {
    const controller = new AbortController();
    this.#asked.set(page, controller);
    try {
      const found = await this.#ports.ask(where, PAGE_ROWS, controller.signal);
      if (controller.signal.aborted) return;
      this.#asked.delete(page);
      this.#keep(page, found);
    } catch (error) {
      if (controller.signal.aborted) return;
      this.#asked.delete(page);
      this.#fault = error as Error;
    }
    this.#ports.changed();
    this.#askForWanted();
  }

  #keep(page: number, { data, total, page: edges }: Envelope): void {
    this.#rows.set(page, [...data]);
    if (this.#rows.size > PAGES_MAX) this.#forget();
    const end = edges?.end_cursor ?? null;
    if (end !== null) this.#ends.set(page, end);
    if (total !== undefined) this.#total = total;
    const seen = page * PAGE_ROWS + data.length;
    const goesOn = edges?.has_next_page ?? data.length === PAGE_ROWS;
    // One more row is there to be scrolled to, and asks for its page.
    this.#known = Math.max(this.#known, goesOn ? seen + 1 : seen);
    // What the list itself says at its end counts more than a count of before.
    if (!goesOn && (data.length > 0 || page === 0)) this.#total = this.#known = seen;
  }

  #touch(page: number): void {
    const rows = this.#rows.get(page)!;
    this.#rows.delete(page);
    this.#rows.set(page, rows);
  }

  /** The page that was wanted longest ago. */
  #forget(): void {
    const [oldest] = this.#rows.keys();
    this.#rows.delete(oldest!);
  }
}

const pageOf = (row: number): number => Math.floor(row / PAGE_ROWS);
