/**
 * An append-only log of JSON lines with a hash chain, in files by UTC date.
 *
 *   append (written) ──▶ sync (durable) ──▶ append …      the caller takes turns: never two calls at once
 *      └─ disk full: cut back to the last synced byte, nothing of the batch stays
 */
import { isFull, type LogDisk, type LogFile } from './disk.ts';
import { GENESIS, sealLine } from './chain.ts';
import { compareFileNames, nextFileName, parseFileName, utcDate, type FileName } from './file-name.ts';
import { readBack, type LogEnd, type LogLine, type Place, type TornTail } from './read-back.ts';

export interface LogOptions {
  readonly disk: LogDisk;
  /** First part of the files' names. */
  readonly stem: string;
  /** `daily`: the first append of a UTC day starts a file. `none`: only `rotate()` does. */
  readonly rotate: 'daily' | 'none';
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Where reading back starts: after a known place, or at the files of a UTC date and later. */
export type LogStart = { readonly place: Place | null } | { readonly since: string };

/**
 * Reads the log back from `start`, gives each good line to `each`, cuts a torn tail (kept beside as `<file>.torn-<byte>`) and
 * opens the log for appending. Throws Corruption as `readBack` does.
 */
export async function openLog(
  options: LogOptions,
  start: LogStart,
  each: (line: LogLine) => void | Promise<void>,
): Promise<JsonlLog> {
  const { disk } = options;
  const all = await filesOf(disk, options.stem);
  const from = 'place' in start ? start.place : null;
  const files = 'place' in start ? notBefore(all, options.stem, from) : await sinceDate(disk, all, start.since);
  const last = files.at(-1);
  if (last !== undefined) await makeDurable(disk, last);
  const { place, torn } = await readBack(disk, files, from, each);
  if (torn !== null) await cut(disk, torn);
  const hash = place?.hash ?? GENESIS;
  // A place whose file was taken away still counts: the next file is named after it.
  if (last === undefined)
    return new JsonlLog(options, { name: placeName(options.stem, from), file: null, end: 0, hash });
  const state = { name: last, file: await disk.open(last.name), end: await disk.size(last.name), hash };
  return new JsonlLog(options, state);
}

/**
 * A writer that was killed may have left lines that only the kernel has. A reader may write down how far they came, so a loss of power must not
 * take them away behind that. Earlier files were synced before the next one began.
 */
async function makeDurable(disk: LogDisk, last: FileName): Promise<void> {
  if ((await disk.size(last.name)) === 0) return;
  const file = await disk.open(last.name);
  await file.sync();
  await file.close();
}

/** Reads a whole log without touching it: each good line in order, and where they end. Throws Corruption as `readBack` does. */
export async function readLog(
  { disk, stem }: Pick<LogOptions, 'disk' | 'stem'>,
  each: (line: LogLine) => void | Promise<void>,
): Promise<LogEnd> {
  return readBack(disk, await filesOf(disk, stem), null, each);
}

function placeName(stem: string, place: Place | null): FileName | null {
  return place === null ? null : parseFileName(stem, place.file);
}

interface State {
  name: FileName | null;
  file: LogFile | null;
  end: number;
  hash: string;
}

export class JsonlLog {
  readonly #options: LogOptions;
  readonly #state: State;

  constructor(options: LogOptions, state: State) {
    this.#options = options;
    this.#state = state;
  }

  /**
   * Writes the JSON objects (each on one line) at the end of the log and resolves to the place after them; not durable before
   * `sync()`. Resolves to null when the disk is full, and then nothing of them stays. Rejects when the disk is broken.
   */
  async append(bodies: readonly string[]): Promise<Place | null> {
    if (this.#due() && !(await this.#startFile())) return null;
    const state = this.#state;
    const { bytes, hash } = sealed(bodies, state.hash);
    try {
      await state.file!.write(bytes, state.end);
    } catch (error) {
      if (!isFull(error)) throw error;
      await state.file!.truncate(state.end);
      return null;
    }
    state.end += bytes.length;
    state.hash = hash;
    return { file: state.name!.name, offset: state.end, hash };
  }

  /** Resolves when everything appended is durable. After a rejection it is unknown what is on the disk: the caller must not go on. */
  sync(): Promise<void> {
    return this.#state.file!.sync();
  }

  /** Starts a new file, unless the present one is empty. Resolves to false when the disk is full: the present file stays. */
  async rotate(): Promise<boolean> {
    return this.#state.end === 0 || (await this.#startFile());
  }

  /** Names of the files that it does not write to any more, in order of writing. */
  async sealedFiles(): Promise<readonly string[]> {
    const { disk, stem } = this.#options;
    const names = (await filesOf(disk, stem)).map(({ name }) => name);
    return names.filter((name) => name !== this.#state.name?.name);
  }

  /** Takes away the oldest files, one after the other and never the present one, while `isGone` says so; gives how many. */
  async dropOldest(isGone: (name: string) => Promise<boolean>): Promise<number> {
    const { disk, stem } = this.#options;
    let dropped = 0;
    for (const { name } of await filesOf(disk, stem)) {
      if (name === this.#state.name?.name || !(await isGone(name))) break;
      await disk.remove(name);
      dropped++;
    }
    return dropped;
  }

  async close(): Promise<void> {
    await this.#state.file?.close();
    this.#state.file = null;
  }

  #due(): boolean {
    const { name, file } = this.#state;
    if (name === null || file === null) return true;
    return this.#options.rotate === 'daily' && name.date < utcDate(this.#options.now());
  }

  async #startFile(): Promise<boolean> {
    const state = this.#state;
    const name = nextFileName(this.#options.stem, state.name, utcDate(this.#options.now()));
    let file: LogFile;
    try {
      file = await this.#options.disk.open(name.name);
    } catch (error) {
      if (isFull(error)) return false;
      throw error;
    }
    await state.file?.close();
    Object.assign(state, { name, file, end: 0 });
    return true;
  }
}

function sealed(bodies: readonly string[], prev: string): { bytes: Buffer; hash: string } {
  let text = '';
  let hash = prev;
  for (const body of bodies) {
    const next = sealLine(body, hash);
    text += `${next.line}\n`;
    hash = next.hash;
  }
  return { bytes: Buffer.from(text, 'utf8'), hash };
}

/** The log's files in order of writing. */
async function filesOf(disk: LogDisk, stem: string): Promise<readonly FileName[]> {
  const names = await disk.names();
  const files = names.map((name) => parseFileName(stem, name)).filter((file) => file !== null);
  return files.sort(compareFileNames);
}

/** Files from that of the place on; it may itself have been taken away, with those before it. */
function notBefore(files: readonly FileName[], stem: string, place: Place | null): readonly FileName[] {
  const first = placeName(stem, place);
  return first === null ? files : files.filter((file) => compareFileNames(file, first) >= 0);
}

/** Files that may hold lines of `date` or later: one earlier file too (it may have been written past its day), and one with lines. */
async function sinceDate(disk: LogDisk, files: readonly FileName[], date: string): Promise<readonly FileName[]> {
  const found = files.findIndex((file) => file.date >= date);
  let first = Math.max(0, (found < 0 ? files.length : found) - 1);
  while (first > 0 && (await disk.size(files[first]!.name)) === 0) first--;
  return files.slice(first);
}

/** The torn bytes are kept in a file of their own before they are cut: they were never acknowledged, but a caller sent them. */
async function cut(disk: LogDisk, torn: TornTail): Promise<void> {
  const size = await disk.size(torn.file);
  await disk.save(`${torn.file}.torn-${torn.start}`, await disk.read(torn.file, torn.start, size - torn.start));
  const file = await disk.open(torn.file);
  await file.truncate(torn.start);
  await file.sync();
  await file.close();
}
