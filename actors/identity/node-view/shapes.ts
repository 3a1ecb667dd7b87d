/** Answers of the routes that show the node. Spec: docs/contract/node.md. */
import { z } from 'zod';
import { SOURCE_KINDS } from '#config/sources.ts';
import { DEGRADED_SCOPES } from '#actors/protocol/degraded.ts';
import { FINDING_STATES, MATE_STATES, TAKE_CAUSES, THREAD_STATES, UNREADY } from '#actors/protocol/node-view.ts';
import { STANDINGS } from '#actors/protocol/standing.ts';
import { SEAL_KINDS, VAULT_CERTIFICATE_KINDS, VAULT_NODE_STATES } from '#actors/protocol/vault-state.ts';
import { record } from '../operator/shapes.ts';

const count = z.int().min(0);

const thread = z.object({
  name: z.string(),
  state: z.enum(THREAD_STATES),
  since: z.string().nullable(),
  restarts: count,
  quiet_ms: count,
});

const host = z.object({
  name: z.string(),
  shards: z.array(count),
  tenants_awake: count,
  waiting: count,
  journal_bytes: count,
  journal_syncs: count,
  overlay_entries: count,
  lag_records: count,
});

const journalCopy = z.object({
  every_seconds: z.number(),
  copied_at: z.string().nullable(),
  failed: z.string().nullable(),
  gaps: count,
});

const degraded = z.object({
  scope: z.enum(DEGRADED_SCOPES),
  name: z.string(),
  reason: z.string(),
  concerns: z.literal('all').optional(),
  since: z.string(),
});

const profile = z.object({
  profile: z.string(),
  off: z.boolean(),
  burst: count.nullable(),
  per_second: z.number().nullable(),
  source: z.enum(SOURCE_KINDS).nullable(),
  from: z.string().nullable(),
  routes: z.array(z.string()),
  callers: count,
  callers_max: count,
  taken: z.number().min(0).max(1),
  spent: count,
  refused: count,
  overflowed: count,
  tenants: z.array(z.object({ tenant: z.string().nullable(), refused: count, over: count })),
});

export const bucketsReply = z.object({ profiles: z.array(profile) });

const backupSet = z.object({
  id: z.string(),
  moment: z.string(),
  ended_at: z.string(),
  tenants: count,
  bytes: count,
  new_bytes: count,
  encrypted: z.boolean(),
  fault: z.string().nullable(),
});

const backups = z.object({
  to: z.string(),
  every_seconds: z.number(),
  verify_every_seconds: z.number().nullable(),
  encrypted: z.boolean(),
  running_since: z.string().nullable(),
  next: z.string().nullable(),
  failed: z.string().nullable(),
  failed_at: z.string().nullable(),
  seen_at: z.string().nullable(),
  unseen: z.string().nullable(),
  sets: z.array(backupSet),
  sets_more: count,
});

export const backupsReply = z.object({ backups: backups.nullable() });

const point = z.object({
  at: z.string(),
  requests_per_second: z.number().min(0),
  failed_per_second: z.number().min(0),
  p50_ms: z.number().min(0).nullable(),
  p99_ms: z.number().min(0).nullable(),
  waiting: count,
  lag_records: count,
  loop_delay_ms: z.number().min(0),
  heap_bytes: count,
  rss_bytes: count,
});

export const figuresReply = z.object({ every_seconds: count, points: z.array(point) });

const mate = z.object({
  node: z.string(),
  state: z.enum(MATE_STATES),
  beat_seconds: z.number(),
  lease_seconds: z.number(),
  behind: count.nullable(),
  behind_seconds: z.number().nullable(),
  link: z.string().nullable(),
  linked: z.boolean().nullable(),
  carries: z.string().nullable(),
});

const shard = z.object({
  shard: count,
  host: z.string().nullable(),
  owner: z.string().nullable(),
  epoch: count,
  last: count,
  confirmed: count,
  trimmed: count,
  copy: count.nullable(),
  copied_at: z.string().nullable(),
  behind: count,
});

const finding = z.object({ check: z.string(), state: z.enum(FINDING_STATES), detail: z.string(), mend: z.string() });

const member = z.object({
  name: z.string(),
  state: z.string().nullable(),
  sync: z.string().nullable(),
  behind_bytes: count.nullable(),
});

const database = z.object({
  name: z.string(),
  bytes: count.nullable(),
  findings: z.array(finding),
  members: z.array(member),
});

const log = z.object({
  node: z.string(),
  lease_seconds: z.number(),
  lease_left_seconds: z.number(),
  since: z.string().nullable(),
  before: z.string().nullable(),
  why: z.enum(TAKE_CAUSES).nullable(),
  reads: z.enum(['lease', 'confirmed', 'local']),
  asked_at: z.string().nullable(),
  failed: z.string().nullable(),
  database: database.nullable(),
  nodes: z.array(mate),
  nodes_more: count,
  shards: z.array(shard),
  shards_more: count,
});

export const clusterReply = z.object({ log: log.nullable() });

export const healthReply = z.object({
  ready: z.boolean(),
  reasons: z.array(z.enum(UNREADY)),
  version: z.string(),
  started_at: z.string(),
  threads: z.array(thread),
  spare: z.boolean(),
  hosts: z.array(host),
  journal_copy: journalCopy.nullable(),
  disk: z.object({ free_bytes: count.nullable(), free_bytes_min: count }),
  degraded: z.array(degraded),
  degraded_more: count,
});

const settingValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const setting = z.object({
  key: z.string(),
  value: z.union([settingValue, z.array(settingValue)]),
  secret: z.boolean(),
  set: z.boolean(),
  source: z.enum(SOURCE_KINDS).nullable(),
  from: z.string().nullable(),
});

export const configurationReply = z.object({
  file: z.string().nullable(),
  tenants: count,
  settings: z.array(setting),
  next: z.string().nullable(),
});

const figures = { requests: count, refused: count, failed: count, by_door: count, mean_ms: z.number().min(0) };

export const loadReply = z.object({
  minutes: count,
  total: z.object(figures),
  statuses: z.array(z.object({ status: count, ...figures })),
  tenants: z.array(z.object({ tenant: z.string(), ...figures })),
  tenants_more: z.object(figures),
  routes: z.array(z.object({ service: z.string(), route: z.string(), ...figures })),
  routes_more: z.object(figures),
  rates: z.array(z.object({ profile: z.string(), callers: count, refused: count, overflowed: count })),
});

const slowRequest = z.object({
  at: z.string(),
  ms: z.number().min(0),
  status: count,
  method: z.string(),
  route: z.string(),
  service: z.string(),
  tenant: z.string().nullable(),
  by_door: z.boolean(),
  request_id: z.string(),
});

export const slowReply = z.object({ minutes: count, requests: z.array(slowRequest) });

const line = z.object({
  id: z.string(),
  at: z.string(),
  level: z.string(),
  thread: z.string(),
  service: z.string(),
  message: z.string(),
  fields: z.record(z.string(), z.unknown()),
});

export const logsReply = z.object({ lines: z.array(line), silent: z.array(z.string()) });

const tenant = z.object({
  ...record,
  standing: z.enum(['serving', ...STANDINGS]),
  shard: count,
  host: z.string().nullable(),
  revision: z.string().nullable(),
});

export const tenantsReply = z.object({ tenants: z.array(tenant), next: z.string().nullable() });

const vaultNode = z.object({
  name: z.string(),
  state: z.enum(VAULT_NODE_STATES),
  joined_at: z.string(),
  renewed_at: z.string(),
  until: z.string().nullable(),
});

const papers = z.object({
  nodes: z.array(vaultNode),
  nodes_more: z.boolean(),
  join_tokens: z.object({ open: count, spent: count, expired: count, last_end: z.string().nullable() }),
  join_tokens_more: z.boolean(),
  ending_days: count,
  ending: z.array(z.object({ kind: z.enum(VAULT_CERTIFICATE_KINDS), name: z.string(), until: z.string() })),
  ending_more: z.boolean(),
});

const seal = z.object({
  sealed: z.boolean(),
  kind: z.enum(SEAL_KINDS),
  initialized: z.boolean(),
  threshold: count.nullable(),
  shares: count.nullable(),
  progress: count.nullable(),
});

const vaultState = z.object({
  ready: z.boolean(),
  reasons: z.array(z.string()),
  seal,
  backend: z.object({ kind: z.string(), reachable: z.boolean() }),
  papers: papers.nullable(),
});

export const vaultReply = z.object({
  vault: z.object({ failed: z.string().nullable(), state: vaultState.nullable() }).nullable(),
});
