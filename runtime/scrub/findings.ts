/**
 * What the scrubber found: each fault is logged once, what it was found in stands in the list of what is degraded until a whole look at it finds
 * nothing, and the gauges say how many faults of each kind the newest whole looks found.
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Degraded, DegradedScope } from '#actors/protocol/degraded.ts';
import { SCRUB_FAULTS } from '#runtime/observe/metric-rows.ts';

export type ScrubFaultKind = (typeof SCRUB_FAULTS)[number];

/** What is looked at as a whole: a shard, a tenant's store, a log. */
export interface Subject {
  readonly scope: DegradedScope;
  /** As the list of what is degraded names it. */
  readonly name: string;
  readonly tenant?: string;
  /** What an operator does about its faults. */
  readonly mend: string;
}

export interface Finding {
  readonly kind: ScrubFaultKind;
  /** Where it lies, for the log: an entity and a key in hexadecimal, a file. */
  readonly where: Readonly<Record<string, unknown>>;
  readonly what: string;
}

export interface FindingsPorts {
  readonly log: Log;
  readonly degraded: Degraded;
  /** Sets how many faults of a kind there are. */
  readonly gauge: (kind: ScrubFaultKind, faults: number) => void;
}

type Counts = Partial<Record<ScrubFaultKind, number>>;

/** Faults of one subject: how many of each kind, and what the first one is. */
interface Named {
  readonly counts: Counts;
  readonly first: string;
}

export class Findings {
  readonly #ports: FindingsPorts;
  /** What the newest whole look at each subject found. */
  readonly #named = new Map<string, Named>();
  /** Faults that were logged. */
  readonly #logged = new Set<string>();

  constructor(ports: FindingsPorts) {
    this.#ports = ports;
  }

  /** Begins a look at something. */
  look(subject: Subject): Look {
    return new Look(subject, this.#ports, {
      logged: this.#logged,
      named: this.#named.get(subject.name) ?? null,
      put: (named) => this.#put(subject.name, named),
    });
  }

  /** What is gone has no faults any more. */
  keepOnly(isThere: (name: string) => boolean): void {
    for (const name of this.#named.keys()) if (!isThere(name)) this.#put(name, null);
  }

  #put(name: string, named: Named | null): void {
    if (named === null) this.#named.delete(name);
    else this.#named.set(name, named);
    for (const kind of SCRUB_FAULTS) {
      let sum = 0;
      for (const { counts } of this.#named.values()) sum += counts[kind] ?? 0;
      this.#ports.gauge(kind, sum);
    }
  }
}

interface Known {
  /** Faults that were logged. */
  readonly logged: Set<string>;
  /** What the look before found, and said; null where it found nothing. */
  readonly named: Named | null;
  readonly put: (named: Named | null) => void;
}

/** One look at one subject, from its begin to its end. */
export class Look {
  readonly #subject: Subject;
  readonly #ports: FindingsPorts;
  readonly #known: Known;
  readonly #counts: Counts = {};
  #lines = 0;
  #first: string | null = null;

  constructor(subject: Subject, ports: FindingsPorts, known: Known) {
    this.#subject = subject;
    this.#ports = ports;
    this.#known = known;
  }

  found(finding: Finding): void {
    const { kind, what } = finding;
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
    this.#tell(finding);
    if (this.#first !== null) return;
    this.#first = what;
    // At once, for the rest of the look may take hours; all kinds follow at its end. What is named already stays as it was till then.
    if (this.#known.named === null) this.#report({ counts: this.#counts, first: what });
  }

  /** All was looked at: nothing found means that it is well. */
  end(): void {
    const { scope, name } = this.#subject;
    const named = this.#sum();
    if (named === null) this.#ports.degraded.clear(scope, name);
    else this.#report(named);
    this.#known.put(named);
  }

  /**
   * Keys out of order stay named although this look saw none: a border between two steps may hide them, and they are mended only while
   * the node is stopped.
   */
  #sum(): Named | null {
    const before = this.#known.named;
    const order = before?.counts.order;
    if (order === undefined) return this.#first === null ? null : { counts: this.#counts, first: this.#first };
    return { counts: { ...this.#counts, order: Math.max(order, this.#counts.order ?? 0) }, first: before!.first };
  }

  /** It went away meanwhile, or is not to be judged: nothing of it is kept, and what was said is taken back. */
  drop(): void {
    if (this.#first !== null) this.#ports.degraded.clear(this.#subject.scope, this.#subject.name);
    this.#known.put(null);
  }

  #tell({ kind, where, what }: Finding): void {
    const { name, tenant, mend } = this.#subject;
    const id = `${name} ${kind} ${JSON.stringify(where)}`;
    const { logged } = this.#known;
    if (logged.has(id) || logged.size >= limits.scrub.faultsKnownMax) return;
    if (++this.#lines > limits.scrub.faultsLogged) return;
    logged.add(id);
    const of = tenant === undefined ? { of: name } : { tenant };
    this.#ports.log.error({ ...of, kind, ...where, what, mend }, 'the scrubber found damage in what is served');
  }

  /** Without numbers, which the gauges have: each change of the text is a line of the log. */
  #report({ counts, first }: Named): void {
    const { mend, ...key } = this.#subject;
    const kinds = SCRUB_FAULTS.filter((kind) => kind in counts).join(', ');
    const reason = `the scrubber found damage in it (${kinds}), the first: ${first}; the log names the faults. ${mend}`;
    // On the disk, so that no restart mends it: a whole look that finds nothing clears it.
    this.#ports.degraded.report({ ...key, reason, lasts: 'cleared' });
  }
}
