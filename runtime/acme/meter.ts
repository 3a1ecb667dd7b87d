/** Orders of certificates as metrics. The families are there on every node, without samples where nothing is ordered. */
import type { MetricFamily } from '#runtime/observe/exposition.ts';

const OUTCOMES = ['issued', 'failed', 'stopped'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface AcmeFigures {
  readonly orders: Readonly<Record<Outcome, number>>;
  /** Failures in a row, by name. */
  readonly failures: readonly (readonly [name: string, failures: number])[];
}

/** `figures`: null where the node orders nothing. */
export function acmeFamilies(figures: AcmeFigures | null): MetricFamily[] {
  const orders =
    figures === null ? [] : OUTCOMES.map((outcome) => ({ labels: { outcome }, value: figures.orders[outcome] }));
  return [
    {
      name: 'skep_acme_orders_total',
      type: 'counter',
      help: 'Certificates that were ordered by ACME, by what became of the order.',
      samples: orders,
    },
    {
      name: 'skep_acme_failures',
      type: 'gauge',
      help: 'Orders of a name that failed since the last one that did not.',
      samples: (figures?.failures ?? []).map(([name, value]) => ({ labels: { name }, value })),
    },
  ];
}
