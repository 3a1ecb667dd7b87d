/** What `skep top` shows: figures of the time between two scrapes of a node's metrics. */
import { between, quantile, type Labels, type Metrics } from '#runtime/observe/read-metrics.ts';

/** Answers of a service or a tenant. */
export interface Load {
  readonly name: string;
  readonly per_second: number;
  /** Share of the answers with 500 and above, 0 to 1. */
  readonly failures: number;
  /** Milliseconds; null where nothing was answered. */
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
}

export interface Figures {
  readonly seconds: number;
  readonly all: Load;
  /** Busiest first; none that answered nothing. */
  readonly services: readonly Load[];
  readonly tenants: readonly Load[];
  readonly in_flight: number;
  /** Refused a second because a queue was full. */
  readonly shed_per_second: number;
  readonly connections: number;
  readonly connections_max: number;
  /** Cores that the process kept busy. */
  readonly cores_busy: number;
  readonly memory_bytes: number;
  readonly disk_free_bytes: number;
  readonly journal_syncs_per_second: number;
  readonly awake_tenants: number;
  readonly degraded: number;
}

export function figuresOf(before: Metrics, after: Metrics, seconds: number): Figures {
  const counted = (name: string, match: Labels = {}): number => came(before.sum(name, match), after.sum(name, match));
  const load = (requests: string, times: string, name: string, match: Labels): Load => {
    const count = counted(requests, match);
    const spread = between(before.buckets(times, match), after.buckets(times, match));
    const failures = counted(requests, { ...match, status: '5xx' });
    return {
      name,
      per_second: count / seconds,
      failures: count === 0 ? 0 : failures / count,
      p50_ms: milliseconds(quantile(0.5, spread)),
      p99_ms: milliseconds(quantile(0.99, spread)),
    };
  };
  const loads = (requests: string, times: string, label: string): Load[] =>
    after
      .labels(requests, label)
      .map((name) => load(requests, times, name, { [label]: name }))
      .filter(({ per_second }) => per_second > 0)
      .sort((a, b) => b.per_second - a.per_second);
  return {
    seconds,
    all: load('skep_requests_total', 'skep_request_seconds', 'all', {}),
    services: loads('skep_requests_total', 'skep_request_seconds', 'service'),
    tenants: loads('skep_tenant_requests_total', 'skep_tenant_request_seconds', 'tenant'),
    in_flight: after.sum('skep_requests_in_flight'),
    shed_per_second: counted('skep_requests_shed_total') / seconds,
    connections: after.sum('skep_connections'),
    connections_max: after.sum('skep_connections_max'),
    cores_busy: counted('process_cpu_seconds_total') / seconds,
    memory_bytes: after.sum('process_resident_memory_bytes'),
    disk_free_bytes: after.sum('skep_disk_free_bytes'),
    journal_syncs_per_second: counted('skep_journal_syncs_total') / seconds,
    awake_tenants: after.sum('skep_activations'),
    degraded: after.sum('skep_degraded'),
  };
}

/** How far a counter went; one that stepped back began anew. */
const came = (before: number, after: number): number => (after < before ? after : after - before);

const milliseconds = (seconds: number): number | null => (Number.isNaN(seconds) ? null : seconds * 1000);
