/**
 * Keeps the mark outside of the data directory (`storage.mark`): which directory it is, and how far its journals are durable. Main writes it once
 * a second while something is new, never per request; so of a copy that is put back, the last second at most goes unnoticed.
 */
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { ArchiveCells } from '#storage/archive-cells.ts';
import { lastEpoch } from '#storage/journal/directories.ts';
import { writeOutsideMark } from '#storage/outside-mark.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';

interface MarkKeeperPorts {
  readonly dataDir: string;
  /** `storage.mark`. */
  readonly path: string;
  /** The directory's, of compareWithMark. */
  readonly id: string;
  readonly archives: SharedArrayBuffer;
  readonly degraded: Degraded;
}

export class OutsideMarkKeeper {
  readonly #ports: MarkKeeperPorts;
  readonly #cells: ArchiveCells;
  #written = '';
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: MarkKeeperPorts) {
    this.#ports = ports;
    this.#cells = new ArchiveCells(ports.archives);
  }

  /** Rejects where the mark cannot be written: whoever names one wants it from the start. To be called before anybody is served. */
  async start(): Promise<void> {
    await this.#write();
    this.#timer = setInterval(() => void this.look(), limits.storage.outsideMarkMs).unref();
  }

  /** Writes what is new. A mark that cannot be written is told; the node goes on. */
  look(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write()).then(this.#well, this.#failed);
    return this.#writing;
  }

  /** The last word, after the hosts have stopped. */
  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    await this.look();
  }

  async #write(): Promise<void> {
    const { dataDir, id, path } = this.#ports;
    const reached = this.#cells.reached();
    const epoch = Math.max(lastEpoch(dataDir), ...reached.map((journal) => journal.epoch));
    const mark = { id, epoch, reached };
    const text = JSON.stringify(mark);
    if (text === this.#written) return;
    await writeOutsideMark(path, mark);
    this.#written = text;
  }

  readonly #well = (): void => this.#ports.degraded.clear('disk', this.#ports.path);

  readonly #failed = (error: unknown): void => {
    const { degraded, path } = this.#ports;
    const why = (error as Error).message;
    const reason = `the mark ${path} (storage.mark) cannot be written (${why}): until it can, an older copy of the data directory that is put back goes unnoticed. Mend its disk`;
    degraded.report({ scope: 'disk', name: path, reason, lasts: 'cleared' });
  };
}

/** The keeper of `storage.mark`; null where none is named. `id`: the directory's, of compareWithMark. */
export function outsideMarkKeeper(
  { dir, mark }: Platform['storage'],
  id: string | null,
  archives: SharedArrayBuffer,
  degraded: Degraded,
): OutsideMarkKeeper | null {
  if (id === null || mark === undefined) return null;
  return new OutsideMarkKeeper({ dataDir: dir, path: mark, id, archives, degraded });
}
