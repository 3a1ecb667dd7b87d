/** The node's metrics as rows. Label values are listed, so that no request can make a new series. */
import { limits } from '#config/limits.ts';
import { DEGRADED_SCOPES } from '#actors/protocol/degraded.ts';
import { DROP_CAUSES } from '#actors/protocol/traces.ts';
import { VAULT_ACTIONS } from '#actors/vault/event/events.ts';
import { LIVE_METRICS } from './live-metric-rows.ts';
import {
  LOGIN_RESULTS,
  REQUEST_CLASSES,
  SCRUB_FAULTS,
  SCRUBBED,
  SERVICE_LABELS,
  STATUS_LABELS,
} from './metric-labels.ts';

/** The intended maximum duration of a slice of a plan or of retention. */
export const SLICE_SECONDS_MAX = Math.max(limits.plans.sliceMsMax, limits.retention.sliceMsMax) / 1000;

export type MetricType = 'counter' | 'gauge' | 'histogram';

export interface MetricRow {
  readonly name: string;
  readonly type: MetricType;
  readonly help: string;
  readonly labels: Readonly<Record<string, readonly string[]>>;
  /** How the threads' values become the node's: added, or each under a label `thread`. */
  readonly across: 'sum' | 'thread';
  /** The only service that fills it; where that service is off, the metric is not shown. */
  readonly of?: 'vault';
  /** Upper bounds of a histogram's buckets, ascending, in the unit of its name. */
  readonly bounds?: readonly number[];
}

const seconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** One bucket bound is the intended maximum of a slice: the bench counts slices beyond it. */
const aboveSlice = [0.0025, 0.003, 0.004, 0.005, 0.01, 0.025, 0.05, 0.1];
const sliceSeconds = [0.0005, 0.001, 0.0015, SLICE_SECONDS_MAX, ...aboveSlice];
/** Up to what a caller waits for at most. */
const requestSeconds = [...seconds.slice(2), 5, 10];
const service = SERVICE_LABELS;
const none = {};

export const METRICS = {
  requests: {
    name: 'skep_requests_total',
    type: 'counter',
    help: 'Requests answered.',
    labels: { service, status: STATUS_LABELS },
    across: 'sum',
  },
  requestSeconds: {
    name: 'skep_request_seconds',
    type: 'histogram',
    help: "Time from a request's head to its answer, or to the first byte of one that is sent in pieces, as the door sees it. read: GET and HEAD.",
    labels: { service, class: REQUEST_CLASSES },
    across: 'sum',
    bounds: requestSeconds,
  },
  logins: {
    name: 'skep_logins_total',
    type: 'counter',
    help: 'Answers of POST /auth/login. refused: credentials or second factor wrong or missing; limited: too many tries (429).',
    labels: { result: LOGIN_RESULTS },
    across: 'sum',
  },
  shed: {
    name: 'skep_requests_shed_total',
    type: 'counter',
    help: 'Requests answered 503 because a bounded queue or pool was full.',
    labels: { by: ['door', 'service'] },
    across: 'sum',
  },
  answersCut: {
    name: 'skep_answers_cut_total',
    type: 'counter',
    help: 'Connections cut because their callers read their answers too slowly, or the node held too many unread bytes.',
    labels: none,
    across: 'sum',
  },
  inFlight: {
    name: 'skep_requests_in_flight',
    type: 'gauge',
    help: 'Requests accepted and not yet answered.',
    labels: none,
    across: 'sum',
  },
  ...LIVE_METRICS,
  mailboxDepth: {
    name: 'skep_mailbox_depth',
    type: 'gauge',
    help: 'Requests that wait for a turn of their tenant.',
    labels: none,
    across: 'thread',
  },
  activations: {
    name: 'skep_activations',
    type: 'gauge',
    help: 'Tenants that are awake.',
    labels: none,
    across: 'thread',
  },
  turnSeconds: {
    name: 'skep_turn_seconds',
    type: 'histogram',
    help: 'How long a turn held its host; one in sixteen is measured.',
    labels: { service: ['identity', 'data', 'intake', 'vault', 'bff', 'content', 'audit'] },
    across: 'sum',
    bounds: seconds,
  },
  journalSyncs: {
    name: 'skep_journal_syncs_total',
    type: 'counter',
    help: 'Synchronisations of a journal to the disk.',
    labels: none,
    across: 'sum',
  },
  journalSyncSeconds: {
    name: 'skep_journal_sync_seconds',
    type: 'histogram',
    help: 'How long a synchronisation of a journal to the disk took: each acknowledged write waits for one.',
    labels: none,
    across: 'sum',
    bounds: seconds,
  },
  journalBytes: {
    name: 'skep_journal_bytes_total',
    type: 'counter',
    help: 'Bytes appended to the journals.',
    labels: none,
    across: 'sum',
  },
  journalCuts: {
    name: 'skep_journal_cuts_total',
    type: 'counter',
    help: 'Ends of earlier journals that were cut at a start, by the host that read them: writes that a crash found under way.',
    labels: none,
    across: 'thread',
  },
  overlayEntries: {
    name: 'skep_overlay_entries',
    type: 'gauge',
    help: 'Writes that are journalled and not yet in LMDB.',
    labels: none,
    across: 'thread',
  },
  lmdbLag: {
    name: 'skep_lmdb_lag_records',
    type: 'gauge',
    help: 'Journal records that LMDB has not committed yet.',
    labels: none,
    across: 'thread',
  },
  jobsRunning: {
    name: 'skep_jobs_running',
    type: 'gauge',
    help: 'Jobs (jq of the reference tier, scripts, products that load) that a thread of the host works on.',
    labels: none,
    across: 'thread',
  },
  jobsWaiting: {
    name: 'skep_jobs_waiting',
    type: 'gauge',
    help: 'Jobs that wait for a thread of their host; beyond the bound their callers get 503.',
    labels: none,
    across: 'thread',
  },
  loopDelay: {
    name: 'skep_event_loop_delay_seconds',
    type: 'gauge',
    help: '99th percentile of the event-loop delay in the last interval.',
    labels: none,
    across: 'thread',
  },
  heapBytes: {
    name: 'skep_heap_bytes',
    type: 'gauge',
    help: 'Bytes of the heap that a thread uses.',
    labels: none,
    across: 'thread',
  },
  sliceSeconds: {
    name: 'skep_slice_seconds',
    type: 'histogram',
    help: 'How long a slice of a plan or of retention held its host.',
    labels: none,
    across: 'sum',
    bounds: sliceSeconds,
  },
  sliceMax: {
    name: 'skep_slice_max_seconds',
    type: 'gauge',
    help: 'The longest slice of the last interval.',
    labels: none,
    across: 'thread',
  },
  sliceCpuSeconds: {
    name: 'skep_slice_cpu_seconds',
    type: 'histogram',
    help: 'Processor time that its host spent on a slice of a plan or of retention.',
    labels: none,
    across: 'sum',
    bounds: sliceSeconds,
  },
  sliceCpuMax: {
    name: 'skep_slice_cpu_max_seconds',
    type: 'gauge',
    help: 'The most processor time of a slice of the last interval.',
    labels: none,
    across: 'thread',
  },
  vaultOperations: {
    name: 'vault_operations_total',
    of: 'vault',
    type: 'counter',
    help: 'Operations of the vault, as recorded in its audit log.',
    labels: { vault_action: VAULT_ACTIONS, outcome: ['ok', 'denied', 'failed'] },
    across: 'sum',
  },
  vaultRequests: {
    name: 'http_server_request_duration_seconds',
    of: 'vault',
    type: 'histogram',
    help: 'How long the vault took for a request.',
    labels: { http_request_method: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] },
    across: 'sum',
    bounds: seconds,
  },
  vaultSealed: {
    name: 'vault_sealed',
    of: 'vault',
    type: 'gauge',
    help: 'Whether the vault is sealed.',
    labels: none,
    across: 'sum',
  },
  vaultBackendUp: {
    name: 'vault_backend_up',
    of: 'vault',
    type: 'gauge',
    help: 'Whether the backend of the vault answers.',
    labels: none,
    across: 'sum',
  },
  vaultEventsPending: {
    name: 'vault_audit_events_pending',
    of: 'vault',
    type: 'gauge',
    help: 'Events on their way to the audit log.',
    labels: none,
    across: 'sum',
  },
  vaultEventsDropped: {
    name: 'vault_audit_events_dropped_total',
    of: 'vault',
    type: 'counter',
    help: 'Events that the audit log will miss.',
    labels: none,
    across: 'sum',
  },
  auditLogs: {
    name: 'skep_audit_logs',
    type: 'gauge',
    help: 'Audit logs of this node.',
    labels: none,
    across: 'sum',
  },
  auditRecords: {
    name: 'skep_audit_records',
    type: 'gauge',
    help: 'Records that the signed heads of all audit logs cover, pruned ones included.',
    labels: none,
    across: 'sum',
  },
  auditSegmentBytes: {
    name: 'skep_audit_segment_bytes',
    type: 'gauge',
    help: 'Bytes of the segments of all audit logs on the disk, as of the last look.',
    labels: none,
    across: 'sum',
  },
  auditWaiting: {
    name: 'skep_audit_outbox_events',
    type: 'gauge',
    help: "Events in tenants' outboxes that the audit log has not answered for, by host.",
    labels: none,
    across: 'thread',
  },
  auditUnsigned: {
    name: 'skep_audit_unsigned_records',
    type: 'gauge',
    help: 'Records that open audit logs have taken and that no checkpoint covers yet.',
    labels: none,
    across: 'sum',
  },
  auditRefused: {
    name: 'skep_audit_logs_refused',
    type: 'gauge',
    help: 'Audit logs that refuse to be written; degraded[] names them.',
    labels: none,
    across: 'sum',
  },
  auditLost: {
    name: 'skep_audit_records_lost_total',
    type: 'counter',
    help: 'Records that were acknowledged before they were written (`async`), and could not be.',
    labels: none,
    across: 'sum',
  },
  auditSyncAge: {
    name: 'skep_audit_sync_age_seconds',
    type: 'gauge',
    help: 'Time since the copy that waits longest had all that its log has signed; 0 where no log is copied.',
    labels: none,
    across: 'sum',
  },
  auditWitnessAge: {
    name: 'skep_audit_witness_age_seconds',
    type: 'gauge',
    help: 'Time since the witness that waits longest had cosigned the newest checkpoint of its log; 0 where none is asked.',
    labels: none,
    across: 'sum',
  },
  degraded: {
    name: 'skep_degraded',
    type: 'gauge',
    help: 'Degraded things, as /readyz lists them for `Accept: application/json`.',
    labels: { scope: DEGRADED_SCOPES },
    across: 'sum',
  },
  degradedUnlisted: {
    name: 'skep_degraded_unlisted_total',
    type: 'counter',
    help: 'Reports of degraded things that found no room in the list.',
    labels: none,
    across: 'sum',
  },
  scrubItems: {
    name: 'skep_scrub_looked_total',
    type: 'counter',
    help: 'What the scrubber looked at: values of LMDB, rows and entries of entities, files, sealed segments.',
    labels: { what: SCRUBBED },
    across: 'sum',
  },
  scrubBytes: {
    name: 'skep_scrub_bytes_total',
    type: 'counter',
    help: 'Bytes that the scrubber looked at.',
    labels: { what: SCRUBBED },
    across: 'sum',
  },
  scrubFaults: {
    name: 'skep_scrub_faults',
    type: 'gauge',
    help: 'Faults that the newest whole looks of the scrubber found, by kind.',
    labels: { kind: SCRUB_FAULTS },
    across: 'sum',
  },
  scrubAge: {
    name: 'skep_scrub_round_age_seconds',
    type: 'gauge',
    help: 'Time since the last whole round of the scrubber ended, over the shard or the logs that wait longest; 0 on threads that it does not look after.',
    labels: none,
    across: 'thread',
  },
  spansExported: {
    name: 'skep_trace_spans_exported_total',
    type: 'counter',
    help: 'Spans of traced requests that the collector took.',
    labels: none,
    across: 'sum',
  },
  spansDropped: {
    name: 'skep_trace_spans_dropped_total',
    type: 'counter',
    help: 'Spans that did not reach the collector, by cause.',
    labels: { cause: DROP_CAUSES },
    across: 'sum',
  },
  traceFailures: {
    name: 'skep_trace_export_failures_total',
    type: 'counter',
    help: 'Requests to the collector of traces that it did not take.',
    labels: none,
    across: 'sum',
  },
  threadRestarts: {
    name: 'skep_thread_restarts_total',
    type: 'counter',
    help: 'Restarts of a thread by the supervisor.',
    labels: none,
    across: 'thread',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricKey = keyof typeof METRICS;
