/**
 * Certificates at a node that stands by with open doors: what the node that serves gains comes into the files that the doors read, and the authority's question for a token is answered here as there. It orders nothing and
 * changes nothing of what nodes share.
 */
import { setTimeout as passed } from 'node:timers/promises';
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { ChallengeListener, whyDeaf } from './challenge-listener.ts';
import { preparePairs } from './pairs.ts';
import { orderedPairs } from './places.ts';
import type { SharedPapers } from './shared-papers.ts';
import { TokenLooks } from './token-looks.ts';

export interface MirrorPorts {
  readonly platform: Pick<Platform, 'gateway' | 'storage'>;
  readonly papers: Pick<SharedPapers, 'fetch' | 'isBegun' | 'look' | 'offered'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The certificates of a node that stands by, and where they come from. */
export interface Mirrored {
  readonly mirror: CertificateMirror;
  readonly papers: SharedPapers;
}

/** Its doors would show a certificate that no browser trusts, beside a node that has a good one in its own files. */
const NOT_BEGUN =
  'the node that serves has put no certificates into the vault\n    wait for its first order; one of an earlier release puts none there: upgrade it, or hand over to a newer one (skep cluster drain)';

const { sharedLookMs, tokenLookMs } = limits.acme;

export class CertificateMirror {
  readonly #ports: MirrorPorts;
  readonly #listener: ChallengeListener;
  readonly #looks: TokenLooks;
  readonly #names: ReadonlySet<string>;
  #timer: NodeJS.Timeout | undefined;
  #listening: Promise<void> = Promise.resolve();
  #isStarted = false;
  #isOver = false;
  #isDeaf = false;
  #isLost = false;

  constructor(ports: MirrorPorts) {
    this.#ports = ports;
    const { papers, platform } = ports;
    this.#names = new Set(orderedPairs(platform).map(({ name }) => name));
    this.#looks = new TokenLooks({
      look: () => papers.look(),
      everyMs: tokenLookMs,
      now: () => performance.now(),
      sleep: passed,
    });
    const { http_bind: bind, https_port: httpsPort } = platform.gateway.tls!.acme!;
    const sites = new Set(Object.keys(platform.gateway.sites));
    this.#listener = new ChallengeListener({ bind, httpsPort, sites, elsewhere: this.#answerTo });
  }

  /** Has the newest certificates in the files, and goes on so. Rejects where they cannot be had; then it may be called again. */
  async start(): Promise<void> {
    const { clock, log, papers, platform } = this.#ports;
    await papers.fetch();
    if (!papers.isBegun) throw new Error(NOT_BEGUN);
    if (this.#isStarted || this.#isOver) return;
    this.#isStarted = true;
    await preparePairs(platform, log, clock.now());
    await this.#listen();
    this.#schedule();
  }

  /** Resolves when the port is free again. */
  async stop(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    await this.#listening;
    await this.#listener.close();
  }

  #schedule(): void {
    if (!this.#isOver) this.#timer = setTimeout(() => void this.#again(), sharedLookMs).unref();
  }

  async #again(): Promise<void> {
    const { log, papers } = this.#ports;
    if (this.#isDeaf) await this.#listen();
    try {
      await papers.fetch();
      if (this.#isLost) log.info({}, 'certificates of sites are read from the vault again');
      this.#isLost = false;
    } catch (error) {
      if (!this.#isLost && !this.#isOver)
        log.warn(
          { err: error },
          'certificates of sites cannot be read from the vault: the doors of this node show those that they have, and it is tried again',
        );
      this.#isLost = true;
    }
    this.#schedule();
  }

  #listen(): Promise<void> {
    this.#listening = this.#isOver ? Promise.resolve() : this.#open();
    return this.#listening;
  }

  async #open(): Promise<void> {
    try {
      await this.#listener.open();
      this.#isDeaf = false;
    } catch (error) {
      const { mend, what } = whyDeaf(this.#ports.platform.gateway.tls!.acme!.http_bind, error as Error);
      if (!this.#isDeaf)
        this.#ports.log.error({ err: error }, `${what} where the authority comes to this node: ${mend}`);
      this.#isDeaf = true;
    }
  }

  /** Never rejects: an authority that gets no answer asks again, or the order fails and is made again. */
  readonly #answerTo = async (name: string, token: string): Promise<string | null> => {
    if (!this.#names.has(name) || this.#isOver) return null;
    try {
      await this.#looks.ask();
    } catch {
      return null;
    }
    return this.#ports.papers.offered(name, token);
  };
}
