/** Which blocks of some modules run, and how often, by V8's own counters (Chrome DevTools Protocol, Profiler.startPreciseCoverage). */
import { Session, type Profiler } from 'node:inspector';

export interface Taken {
  /** Functions and blocks that ran. */
  readonly blocks: ReadonlySet<string>;
  /** How often they were entered together. */
  readonly steps: number;
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

export class Coverage {
  readonly #session = new Session();
  /** By function: the blocks in it that V8 has named. It names those whose count differs from that of the block around them. */
  readonly #known = new Map<string, Map<string, Range>>();

  /** Counts from here on, what is loaded later alone: blocks are counted in code that is compiled with counters. */
  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  stop(): void {
    this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }

  /** What ran since the last call, of modules whose address holds one of `paths`. A session with its own thread answers at once. */
  take(paths: readonly string[]): Taken {
    let result: readonly Profiler.ScriptCoverage[] = [];
    this.#session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error !== null) throw error;
      ({ result } = taken);
    });
    const blocks = new Set<string>();
    let steps = 0;
    for (const { url, functions } of result) {
      if (!paths.some((path) => url.includes(path))) continue;
      for (const { ranges } of functions) steps += this.#add(url, ranges, blocks);
    }
    return { blocks, steps };
  }

  #add(url: string, ranges: readonly Range[], blocks: Set<string>): number {
    const [whole] = ranges as [Range];
    if (whole.count === 0) return 0;
    const name = `${url}:${whole.startOffset}-${whole.endOffset}`;
    blocks.add(name);
    let known = this.#known.get(name);
    if (known === undefined) this.#known.set(name, (known = new Map()));
    let steps = 0;
    for (const range of ranges) {
      steps += range.count;
      if (range !== whole) known.set(`${range.startOffset}-${range.endOffset}`, range);
    }
    for (const [place, block] of known) if (countOf(block, ranges) > 0) blocks.add(`${name}:${place}`);
    return steps;
  }
}

/** The count of the innermost range around a block; V8 lists outer ranges first. */
function countOf({ startOffset, endOffset }: Range, ranges: readonly Range[]): number {
  let count = 0;
  for (const range of ranges) if (range.startOffset <= startOffset && range.endOffset >= endOffset) ({ count } = range);
  return count;
}
