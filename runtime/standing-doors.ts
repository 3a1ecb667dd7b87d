/**
 * The doors of a node with a link while it stands by: they open when it begins to wait. Where the platform file has secrets of the vault, or certificates by ACME, what doors need of both is read first, by this
 * node itself and beside its beats; until that is there the doors stay closed, and the node waits for its place as without them.
 *
 *   waits ─▶ read ─▶ doors open ─▶ another node serves ─▶ read again
 *             └─ not there: log, /readyz ─▶ read again, each limits.cluster.doorsRetryMs
 */
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Doors } from './door/open-doors.ts';

type OpenedDoors = Pick<Doors, 'know' | 'urls'>;

export interface StandingDoorsPorts<D extends OpenedDoors> {
  readonly platform: Platform;
  /** Why they stay closed for good; null where they may open. */
  readonly closed: { readonly why: string; readonly mend: string } | null;
  /** Has in place what doors show, and gives the platform with the secrets that they need. Rejects where something cannot be had; null where nothing is to be read. `isOver`: nothing more is to be begun. */
  readonly read: ((isOver: () => boolean) => Promise<Platform>) | null;
  readonly open: (platform: Platform) => Promise<D>;
  readonly log: Log;
  /** Runs later, unless the returned function is called. */
  readonly after: (ms: number, run: () => void) => () => void;
}

export class StandingDoors<D extends OpenedDoors = Doors> {
  readonly #ports: StandingDoorsPorts<D>;
  #doors: D | null = null;
  #why: string | null = null;
  #isOver = false;
  #opening: Promise<D> | null = null;
  /** Reads one after another. */
  #reading: Promise<void> = Promise.resolve();
  #stopRetry: () => void = () => undefined;

  constructor(ports: StandingDoorsPorts<D>) {
    this.#ports = ports;
  }

  /** Why they are closed; null where they are open, or nothing was tried yet. */
  get closed(): string | null {
    return this.#doors === null ? this.#why : null;
  }

  /** Another node serves, and this one waits: again where it is another one. Rejects where nothing is to be read and a listener cannot be opened. */
  async waits(): Promise<void> {
    const { closed, log, platform, read } = this.#ports;
    if (closed !== null) {
      if (this.#why === null) log.warn({ mend: closed.mend }, `${closed.why}: ${STAY}`);
      this.#why = closed.why;
    } else if (read === null) await this.#show(platform);
    else void this.#readAgain();
  }

  /** This node has its place, or stops: nothing opens any more. What is being read is not waited for. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#stopRetry();
    await this.#opening?.catch(() => undefined);
  }

  #readAgain(): Promise<void> {
    this.#stopRetry();
    this.#reading = this.#reading.then(async () => {
      try {
        if (!this.#isOver) await this.#show(await this.#ports.read!(() => this.#isOver));
      } catch (error) {
        this.#failed(error as Error);
      }
    });
    return this.#reading;
  }

  async #show(platform: Platform): Promise<void> {
    if (this.#isOver) return;
    if (this.#doors === null) {
      this.#opening = this.#ports.open(platform);
      this.#doors = await this.#opening;
      const { urls: listeners } = this.#doors;
      this.#ports.log.info({ listeners }, 'the doors of this node are open: what they get goes to the one that serves');
    } else this.#doors.know(platform);
    this.#why = null;
  }

  #failed(error: Error): void {
    if (this.#isOver) return;
    const { after, log } = this.#ports;
    const [why, mend] = error.message.split('\n').map((line) => line.trim()) as [string, string?];
    const isOpen = this.#doors !== null;
    const then = isOpen ? 'the doors of this node go on with the secrets that they have' : STAY;
    if (why !== this.#why) log.warn(mend === undefined ? {} : { mend }, `${why}: ${then}; it is tried again`);
    this.#why = why;
    this.#stopRetry = after(limits.cluster.doorsRetryMs, () => void this.#readAgain());
  }
}

const STAY = 'the doors of this node stay closed while it stands by';
