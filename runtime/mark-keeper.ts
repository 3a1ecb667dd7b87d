/**
 * Keeps the mark outside the data directory (`storage.mark`): the directory's id, and how far its journals are durable. The next start compares
 * the two, so that an older copy of the directory is detected. Main writes the mark at most once a second, never per request: a copy that is
 * less than a second old can go undetected.
 */
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { Serial } from '#actors/kit/serial.ts';
import { ArchiveCells } from '#storage/archive-cells.ts';
import { lastEpoch } from '#storage/journal/directories.ts';
import { writeOutsideMark } from '#storage/outside-mark.ts';
import type { Degraded } from '#actors/protocol/degraded.ts';

interface MarkKeeperPorts {
  readonly dataDir: string;
  /** `storage.mark`. */
  readonly path: string;
  /** The directory's id, as compareWithMark gives it. */
  readonly id: string;
  readonly archives: SharedArrayBuffer;
  readonly degraded: Degraded;
}

export class OutsideMarkKeeper {
  readonly #ports: MarkKeeperPorts;
  readonly #cells: ArchiveCells;
  #written = '';
  readonly #writes = new Serial();
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: MarkKeeperPorts) {
    this.#ports = ports;
    this.#cells = new ArchiveCells(ports.archives);
  }

  /** Writes the first mark; to be called before the doors open. Rejects where it cannot be written, since the operator has asked for this protection. */
  async start(): Promise<void> {
    await this.#write();
    this.#timer = setInterval(() => void this.look(), limits.storage.outsideMarkMs).unref();
  }

  /** Writes the mark if it has changed. A mark that cannot be written is reported as degraded, and the node goes on. */
  look(): Promise<void> {
    return this.#writes.run(() => this.#write().then(this.#well, this.#failed));
  }

  /** Writes the mark a last time; to be called after the hosts have stopped. */
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

/** The keeper of `storage.mark`; null where the platform file names none. `id`: the directory's id, as compareWithMark gives it. */
export function outsideMarkKeeper(
  { dir, mark }: Platform['storage'],
  id: string | null,
  archives: SharedArrayBuffer,
  degraded: Degraded,
): OutsideMarkKeeper | null {
  if (id === null || mark === undefined) return null;
  return new OutsideMarkKeeper({ dataDir: dir, path: mark, id, archives, degraded });
}
