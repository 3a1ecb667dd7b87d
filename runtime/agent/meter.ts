/** Metrics of an agent, and how they are scraped. Names as the node's own: docs/contract/vault.md §8.4. */
import { expose, type MetricFamily } from '#runtime/observe/exposition.ts';
import type { StandingKind } from './standing.ts';

export class AgentMeter {
  readonly renewals = { ok: 0, refused: 0, away: 0 };
  readonly attestations = { matched: 0, none: 0, refused: 0 };
  readonly issued = { x509: 0, jwt: 0 };
  connections = 0;
  refusedConnections = 0;
}

export interface AgentGauges {
  /** Seconds until the node's identity ends, negative after it. */
  readonly identitySeconds: number;
  readonly isAlive: boolean;
  readonly standing: StandingKind;
  readonly identities: number;
}

/** Prometheus text. */
export function exposeAgent(meter: AgentMeter, gauges: AgentGauges): string {
  return expose([
    gauge(
      'skep_agent_identity_expires_seconds',
      'Seconds until the identity of this node expires.',
      gauges.identitySeconds,
    ),
    gauge('skep_agent_vault_up', 'Whether the vault answers and accepts this node.', gauges.standing === 'up' ? 1 : 0),
    gauge('skep_agent_refused', 'Whether the vault refuses this node.', gauges.standing === 'refused' ? 1 : 0),
    gauge(
      'skep_agent_healthy',
      'Whether this node has a valid identity; the vault may be unreachable.',
      gauges.isAlive && gauges.standing !== 'refused' ? 1 : 0,
    ),
    gauge('skep_agent_identities', 'Identities that this node may issue.', gauges.identities),
    gauge('skep_agent_connections', 'Open connections of workloads.', meter.connections),
    counter('skep_agent_refused_connections_total', 'Connections refused because a limit was reached.', {
      '': meter.refusedConnections,
    }),
    counter('skep_agent_renewals_total', 'Renewals of the node, by outcome.', meter.renewals),
    counter('skep_agent_attestations_total', 'Attestations of workloads, by outcome.', meter.attestations),
    counter('skep_agent_issued_total', 'SVIDs issued, by kind.', meter.issued),
  ]);
}

const gauge = (name: string, help: string, value: number): MetricFamily => ({
  name,
  type: 'gauge',
  help,
  samples: [{ labels: {}, value }],
});

function counter(name: string, help: string, values: Readonly<Record<string, number>>): MetricFamily {
  const samples = Object.entries(values).map(([outcome, value]) => ({
    labels: labelsOf(outcome),
    value,
  }));
  return { name, type: 'counter', help, samples };
}

const labelsOf = (outcome: string): Record<string, string> => (outcome === '' ? {} : { outcome });
