/**
 * Findings of the scrubber. Each fault is logged once; its subject stays in the list of degraded things until a complete look finds nothing; the
 * gauges show how many faults of each kind the newest complete looks found.
 */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Degraded, DegradedScope } from '#actors/protocol/degraded.ts';
import { SCRUB_FAULTS } from '#runtime/observe/metric-labels.ts';

export type ScrubFaultKind = (typeof SCRUB_FAULTS)[number];

/** The unit of a look: a shard, a tenant's store, a log. */
export interface Subject {
  readonly scope: DegradedScope;
  /** Its name in the list of degraded things. */
  readonly name: string;
  readonly tenant?: string;
  /** What an operator does about its faults. */
  readonly mend: string;
}

export interface Finding {
  readonly kind: ScrubFaultKind;
  /** Its place, for the log: an entity and a key in hexadecimal, or a file. */
  readonly where: Readonly<Record<string, unknown>>;
  readonly what: string;
}

export interface FindingsPorts {
  readonly log: Log;
  readonly degraded: Degraded;
  /** Sets the number of faults of a kind. */
  readonly gauge: (kind: ScrubFaultKind, faults: number) => void;
}

type Counts = Partial<Record<ScrubFaultKind, number>>;

/** Faults of one subject: the number of each kind, and the first one in words. */
interface Named {
  readonly counts: Counts;
  readonly first: string;
}

export class Findings {
  readonly #ports: FindingsPorts;
  /** The result of the newest complete look at each subject. */
  readonly #named = new Map<string, Named>();
  /** Logged faults. */
  readonly #logged = new Set<string>();

  constructor(ports: FindingsPorts) {
    this.#ports = ports;
  }

  /** Begins a look at a subject. */
  look(subject: Subject): Look {
    return new Look(subject, this.#ports, {
      logged: this.#logged,
      named: this.#named.get(subject.name) ?? null,
      put: (named) => this.#put(subject.name, named),
    });
  }

  /** How many faults the newest complete look at a subject found. */
  faultsOf(name: string): number {
    return Object.values(this.#named.get(name)?.counts ?? {}).reduce((sum, faults) => sum + faults, 0);
  }

  /** A subject that no longer exists has no faults. */
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
  /** The result of the look before, as it was reported; null where it found nothing. */
  readonly named: Named | null;
  readonly put: (named: Named | null) => void;
}

/** One look at one subject, from its beginning to its end. */
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
    this.#logOnce(finding);
    if (this.#first !== null) return;
    this.#first = what;
    // Reported at once, since the rest of the look may take hours; the other kinds follow at its end. An already reported subject keeps its text
    // until then.
    if (this.#known.named === null) this.#report({ counts: this.#counts, first: what });
  }

  /** The look is complete: without a finding the subject is well. */
  end(): void {
    const { scope, name } = this.#subject;
    const named = this.#sum();
    if (named === null) this.#ports.degraded.clear(scope, name);
    else this.#report(named);
    this.#known.put(named);
  }

  /**
   * Keys out of order stay reported although this look saw none: a border between two steps may hide them, and they are repaired only while the
   * node is stopped.
   */
  #sum(): Named | null {
    const before = this.#known.named;
    const order = before?.counts.order;
    if (order === undefined) return this.#first === null ? null : { counts: this.#counts, first: this.#first };
    return { counts: { ...this.#counts, order: Math.max(order, this.#counts.order ?? 0) }, first: before!.first };
  }

  /** The subject went away or must not be judged: drops the findings of this look and clears its report. */
  drop(): void {
    if (this.#first !== null) this.#ports.degraded.clear(this.#subject.scope, this.#subject.name);
    this.#known.put(null);
  }

  #logOnce({ kind, where, what }: Finding): void {
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
    // The damage is on the disk, so a restart does not clear it: only a complete look without findings does.
    this.#ports.degraded.report({ ...key, reason, lasts: 'cleared' });
  }
}
