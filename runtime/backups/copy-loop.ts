/** Brings the copy of the journals up to date again and again, and tells what became of it. Without threads: clock and timer are given. */
import type { JournalCopyNews } from '#actors/protocol/topics.ts';
import type { Copied, JournalCopier } from '#storage/journal-copy/copier.ts';

export interface CopyLoopPorts {
  /** Looks at the place where the copy goes on. */
  open(): Promise<Pick<JournalCopier, 'copy'>>;
  readonly everyMs: number;
  /** A stop waits so long for the rest to be copied. */
  readonly drainMs: number;
  now(): number;
  after(ms: number, run: () => void): void;
  told(news: JournalCopyNews): void;
}

export class CopyLoop {
  readonly #ports: CopyLoopPorts;
  #copier: Pick<JournalCopier, 'copy'> | null = null;
  /** The step under way. */
  #step: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(ports: CopyLoopPorts) {
    this.#ports = ports;
  }

  start(): void {
    if (this.#stopping) return;
    this.#step = this.#copy(Number.POSITIVE_INFINITY).then(() => {
      this.#ports.after(this.#ports.everyMs, () => this.start());
    });
  }

  /** Copies what is left, for as long as a stop may wait: the next start goes on with the rest. */
  async drain(): Promise<void> {
    this.#stopping = true;
    const until = this.#ports.now() + this.#ports.drainMs;
    const last = this.#step.then(() => this.#copy(until));
    await Promise.race([last, new Promise<void>((resolve) => this.#ports.after(this.#ports.drainMs, resolve))]);
  }

  async #copy(untilMs: number): Promise<void> {
    const at = this.#ports.now();
    let bytes = 0;
    const lost: string[] = [];
    try {
      this.#copier ??= await this.#ports.open();
      for (let copied: Copied | null = null; copied === null || (copied.more && this.#ports.now() < untilMs);) {
        copied = await this.#copier.copy();
        bytes += copied.bytes;
        for (const { journal, from, to } of copied.gaps)
          lost.push(`records ${from} to ${to ?? 'the end'} of the journal ${journal}`);
      }
      this.#ports.told({ at, bytes, lost, failed: null });
    } catch (error) {
      this.#ports.told({ at, bytes, lost, failed: (error as Error).message });
    }
  }
}
