/** Every default of the platform file. Spec: docs/contract/intake.md §2, docs/contract/platform.md §3. */
import { formatDuration } from './values/duration.ts';
import { limits } from './limits.ts';

/** The order in which SKEP_PORT_BASE hands out ports. */
export const PORT_ORDER = [
  'gateway',
  'operations',
  'identity',
  'data',
  'intake',
  'bff',
  'content',
  'vault',
  'audit',
  'pki',
  'console',
] as const;

/** The default address of each service's own listener. */
export const LISTENER_ADDRESSES = {
  operations: '127.0.0.1:9098',
  intake: '127.0.0.1:8081',
  identity: '127.0.0.1:5030',
  data: '127.0.0.1:5031',
  bff: '127.0.0.1:5032',
  content: '127.0.0.1:5033',
  vault: '127.0.0.1:7999',
  /** What the vault's authority publishes, over plain HTTP. */
  pki: '127.0.0.1:7998',
  audit: '127.0.0.1:8443',
  /** The console's pages, and the routes that they call. */
  console: '127.0.0.1:9097',
} as const;

export type ListenerName = keyof typeof LISTENER_ADDRESSES;

export const defaults = {
  gateway: {
    bind: '127.0.0.1:8080',
    client_address: 'auto',
    drain_notice: formatDuration(limits.door.drainNoticeMs),
    compression: { enabled: true },
    access_log: { enabled: false, one_in: 1, slow: formatDuration(limits.door.accessLogSlowMs) },
    slow_callers: {
      window: formatDuration(limits.door.slowWindowMs),
      body_bytes_per_second: limits.door.bodyBytesPerSecondMin,
      answer_bytes_per_second: limits.door.answerBytesPerSecondMin,
    },
  },
  /** Listeners that are open by default. */
  listening: ['operations', 'intake'] as readonly ListenerName[],
  storage: {
    dir: '.skep',
    journal: {
      driver: 'file',
      replication: 'strict',
      seal: 'none',
      snapshots: { every: formatDuration(limits.storage.copyEveryMs) },
    },
    segment_bytes: limits.storage.segmentBytes,
    free_bytes_min: limits.storage.freeBytesMin,
    ballast_bytes: limits.storage.ballastBytes,
    scrub_percent: limits.scrub.percent,
    scrub_every: formatDuration(limits.scrub.roundMs),
  },
  /** `cluster.node` is the machine's name unless set. */
  cluster: { lease: formatDuration(limits.cluster.leaseMs), reads: 'lease', files: 'own', carry: false },
  /** RFC 6177: a site has at least a /64, so one caller may have 2⁶⁴ addresses. */
  rates: { ipv6_prefix: 64 },
  watchdog: {
    replace_after: formatDuration(limits.watchdog.replaceMs),
    refuse_for: formatDuration(limits.watchdog.refuseMs),
  },
  data: { graphql_cost_max: limits.graphql.costMax },
  /** Without `telemetry.traces` nothing is traced. */
  traces: { sample: 0.01, service_name: 'skep' },
  backups: {
    every: formatDuration(limits.backup.everyMs),
    keep: { last: 3, hourly: 24, daily: 7, weekly: 5, monthly: 12 },
    verify: '24h',
    journal: { keep: '168h' },
  },
  log: { level: 'info', output: 'stdout' },
  /** RFC 6409: message submission. */
  identity: { refresh_grace: formatDuration(limits.identity.refreshGraceMs) },
  mail: { smtp: { port: 587, starttls: true, auth: 'plain' } },
  intake: {
    http: {
      max_body_bytes: limits.intake.bodyBytesMax,
      max_fields: limits.intake.fieldsMax,
      max_parts: limits.intake.partsMax,
      read_timeout: '5s',
      write_timeout: '5s',
      idle_timeout: '60s',
    },
    storage: {
      backend: 'embedded',
      wal_jsonl: true,
      batch_max: limits.intake.batchMax,
      batch_wait: `${limits.intake.batchWaitMs}ms`,
      queue_depth: limits.intake.queueDepth,
    },
    /** Under the data directory. */
    embedded: { path: 'intake/embedded' },
    jsonl: { dir: 'intake/jsonl', rotate: 'daily' },
    forms: { dir: 'forms', reload: 'startup' },
    logging: {
      output: 'stdout',
      format: 'json',
      level: 'info',
      /** Under the data directory. */
      file: { path: 'logs/intake.log', max_size_mb: 100, max_backups: 14, max_age_days: 30, compress: true },
    },
    ratelimit: {
      per_ip: 5,
      per_ip_burst: 20,
      global: 200,
      global_burst: 400,
      ip_ttl: '10m',
      max_ips: limits.intake.ipEntriesMax,
    },
    security: {
      client_ip_header: 'X-Edge-Client-IP',
      bind_gateway_only: true,
      gateway_secret: '',
      gateway_secret_header: 'X-Edge-Gateway-Secret',
    },
    notify: {
      enabled: false,
      workers: 4,
      queue_depth: 1024,
      max_retries: 4,
      retry_backoff: '2s',
      timeout: '10s',
    },
    email: { provider: 'smtp', from: '', smtp: { host: '', port: 587, starttls: true, auth: 'plain' } },
  },
  audit: {
    name: 'skep',
    host: '127.0.0.1',
    /** In a file given to `skep audit`; under the data directory in a node's file. */
    base_dir: '/var/lib/audit/logs',
    node_dir: 'audit/logs',
    key_dir: 'audit/keys',
    backend: { kind: 'files' },
    /** Beside the directory of the logs, in a file given to `skep audit`. */
    own_key_dir: 'keys',
    signer: { vault_path_template: 'audit/{tenant}/signing-key' },
    durability: 'strict',
    segment_max_records: limits.audit.segmentRecords,
    segment_max_bytes: limits.audit.segmentBytes,
    cadence: '60s',
  },
  vault: {
    mode: 'root',
    profile: 'production',
    datacenter: 'dc1',
    cluster: 'main',
    sid: 'vault-1',
    trust_domain: 'skep.internal',
    host: '127.0.0.1',
    /** Directories under the data directory. */
    backend: { kind: 'lmdb', dir: 'vault/store', prefix: '/skep/vault/', timeout: `${limits.vault.etcdTimeoutMs}ms` },
    state_dir: 'vault/state',
    seal: { kind: 'key' },
    /** Beside the platform file. */
    policies: { dir: 'policies' },
  },
} as const;
