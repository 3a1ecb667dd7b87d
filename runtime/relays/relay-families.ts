/** The relays' figures as metrics. Labels are fixed: the kinds of parcels, and what becomes of one. */
import type { MetricFamily } from '#runtime/observe/exposition.ts';
import type { RelayFigures } from './relay.ts';

const OUTCOMES = ['sent', 'refused', 'given_up', 'expired', 'dropped'] as const;

/** Kinds whose parcels are stored, and have no outcome. */
const STORED: ReadonlySet<string> = new Set(['audit', 'submission']);

/** `kinds`: the figures of each relay, by the kind of its parcels. */
export function relayFamilies(kinds: Readonly<Record<string, RelayFigures>>): MetricFamily[] {
  const all = Object.entries(kinds);
  const gauge = (name: string, help: string, pick: (figures: RelayFigures) => number): MetricFamily => ({
    name,
    type: 'gauge',
    help,
    samples: all.map(([kind, figures]) => ({ labels: { kind }, value: pick(figures) })),
  });
  return [
    gauge(
      'skep_outboxes_waiting',
      'Tenants whose outbox has parcels that were not handed over yet; intake counts as one.',
      ({ outboxesWaiting }) => outboxesWaiting,
    ),
    gauge('skep_parcels_held', 'Parcels that were handed over and have no answer yet.', ({ held }) => held),
    gauge(
      'skep_parcels_oldest_seconds',
      'Time since the oldest parcel without an answer was handed over to the thread that sends it, retries included; 0 without any.',
      ({ oldestMs }) => oldestMs / 1000,
    ),
    {
      name: 'skep_parcels_settled_total',
      type: 'counter',
      help: 'Parcels by what became of them: sent, refused for good, given up after the last attempt, expired, dropped by a full queue.',
      samples: all
        .filter(([kind]) => !STORED.has(kind))
        .flatMap(([kind, { settled }]) =>
          OUTCOMES.map((outcome) => ({ labels: { kind, outcome }, value: settled[outcome] ?? 0 })),
        ),
    },
  ];
}
