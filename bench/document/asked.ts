/** What the work on speed was asked to reach (CHANGELOG, "Unreleased"), by the figures that say whether it has: harder than the targets of the cases, which later work must not miss. */
import { reached, type Figure, type Target } from '#bench/kit/figure.ts';

interface Asked {
  /** The figure's name. */
  readonly figure: string;
  /** Of a figure that is measured beside others: which. */
  readonly beside?: string;
  readonly target: Target;
}

const atLeast = (of: Target['of'], than: number): Target => ({ of, bound: 'min', than });
const atMost = (of: Target['of'], than: number): Target => ({ of, bound: 'max', than });

const ASKED: readonly Asked[] = [
  { figure: 'read-by-id', target: atLeast('ratio', 0.62) },
  { figure: 'list-20', target: atLeast('ratio', 0.34) },
  { figure: 'list-20 of a range', target: atLeast('ratio', 0.36) },
  { figure: 'list-20 by cursor', target: atLeast('ratio', 0.24) },
  { figure: 'create-64', target: atLeast('ratio', 0.2) },
  { figure: 'create-64', target: atMost('p99Ms', 6) },
  { figure: 'create-256', target: atLeast('ratio', 0.23) },
  { figure: 'create-256', target: atMost('p99Ms', 20) },
  { figure: 'create-postgres', beside: 'Platformatic DB on PostgreSQL', target: atLeast('ratio', 5) },
  { figure: 'audit-writes', target: atLeast('ratio', 0.8) },
  { figure: 'audit-long bytes a record', target: atMost('value', 400) },
  { figure: 'idle-memory', target: atMost('value', 250) },
  { figure: 'memory per idle tenant, 100 tenants', target: atMost('value', 0.15) },
  { figure: 'start-up launcher', target: atMost('value', 800) },
  { figure: 'fresh-clone', target: atMost('value', 25_000) },
  { figure: 'backup, reads beside it', target: atLeast('ratio', 0.6) },
  { figure: 'neighbour-flood p99', target: atMost('ratio', 1.5) },
  // Their ratio is of times: the large entity's over the small one's.
  { figure: 'read-by-id, grown', target: atMost('ratio', 1 / 0.8) },
  { figure: 'list-20, grown', target: atMost('ratio', 1 / 0.7) },
  { figure: 'commit, grown', target: atMost('p50Ms', 1) },
];

/** The figures of a run that something was asked of, each held against that in place of its own target. */
export function askedOf(figures: readonly Figure[]): Figure[] {
  return ASKED.flatMap(({ figure, beside, target }) =>
    figures.filter(({ name, rival }) => name === figure && rival?.name === beside).map((one) => ({ ...one, target })),
  );
}

export const missedOf = (figures: readonly Figure[]): Figure[] =>
  figures.filter((figure) => figure.target !== undefined && reached(figure) === false);
