/** The library of injector.c for one process: which calls are hit, and what it counted. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CALLS, EFFECTS, type Cell } from './cells.ts';
import { KINDS } from './kinds.ts';

const SOURCE = fileURLToPath(new URL('./injector.c', import.meta.url));
/** As in injector.c. */
const KINDS_MAX = 128;
const COUNT_BYTES = 4;

/** Compiles the library into `dir`; gives its path. */
export function compileInjector(dir: string): string {
  const library = join(dir, 'injector.so');
  const flags = ['-Wall', '-Werror', '-shared', '-fPIC', '-O2'];
  execFileSync('gcc', [...flags, '-o', library, SOURCE, '-ldl'], { stdio: 'inherit' });
  return library;
}

export class Injector {
  /** What the process's environment needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly #counts: string;
  readonly #log: string;
  readonly #cells: number;

  /** `files`: the directory whose files are meant. What the library reads and writes lies in a new directory in `scratch`. */
  constructor(library: string, scratch: string, files: string, cells: readonly Cell[]) {
    const own = mkdtempSync(join(scratch, 'injector-'));
    const kinds = join(own, 'kinds');
    this.#counts = join(own, 'counts');
    this.#log = join(own, 'log');
    this.#cells = cells.length;
    writeFileSync(kinds, KINDS.map(({ path }) => `${path}\n`).join(''));
    writeFileSync(this.#counts, Buffer.alloc(COUNT_BYTES * KINDS_MAX * CALLS.length * EFFECTS.length));
    this.env = {
      LD_PRELOAD: library,
      SKEP_MATRIX_DIR: realpathSync(files),
      SKEP_MATRIX_KINDS: kinds,
      SKEP_MATRIX_COUNTS: this.#counts,
      SKEP_MATRIX_LOG: this.#log,
      ...(cells.length > 0 && { SKEP_MATRIX_HIT: cells.map((cell) => numbersOf(cell).join(' ')).join(';') }),
    };
  }

  /** How many calls of a kind an effect could have hit so far. */
  count({ kind, call, effect }: Omit<Cell, 'no'>): number {
    const [kindNo, callNo, effectNo] = numbersOf({ kind, call, effect, no: 0 }) as [number, number, number];
    const at = (kindNo * CALLS.length + callNo) * EFFECTS.length + effectNo;
    return readFileSync(this.#counts).readUInt32LE(at * COUNT_BYTES);
  }

  /** The paths that were hit, by the places of their cells; a place is missing where fewer calls were made. */
  get hits(): ReadonlyMap<number, string> {
    return new Map(
      this.#said('hit ').map((text) => {
        const space = text.indexOf(' ');
        return [Number(text.slice(0, space)), text.slice(space + 1)];
      }),
    );
  }

  /** Whether each cell was hit. */
  get isDone(): boolean {
    return this.hits.size === this.#cells;
  }

  /** Paths of no kind, and ways that pass by the library: both are faults of the matrix. */
  get strange(): string[] {
    return [...new Set([...this.#said('unknown '), ...this.#said('unseen ')])];
  }

  #said(start: string): string[] {
    if (!existsSync(this.#log)) return [];
    const lines = readFileSync(this.#log, 'utf8').split('\n');
    return lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
  }
}

const numbersOf = ({ kind, call, effect, no }: Cell): number[] => [
  KINDS.findIndex(({ name }) => name === kind),
  CALLS.indexOf(call),
  EFFECTS.indexOf(effect),
  no,
];
