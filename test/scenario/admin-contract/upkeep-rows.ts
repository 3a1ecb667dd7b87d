/** The rows of the contract (docs/contract/data-admin.md §4, §5, §6, §7) for a tenant's upkeep. */
export const UPKEEP_ROWS = {
  Seeds: [
    'POST /seeds/runs: an empty body runs every eligible seed; plan_id, dry_run, counts, outcomes',
    'POST /seeds/runs: names, environment, dry_run, force',
    'POST /seeds/runs: 207 whenever failed_count is above 0',
    'GET /seeds: tenant, datastore, seeds; status pending when no ledger row, then applied_at, applied_checksum, error',
    'skep data seed run|list',
  ],
  Retention: [
    'POST /retention/runs: plan_id, dry_run, total_applied, total_failed, entities with their counters',
    'POST /retention/runs: entities, phases, dry_run with eligible, batch_size, max_rows_per_pass, grace_hours',
    'POST /retention/runs: 207 when total_failed is above 0',
    'GET /retention/preview: tenant, datastore, plan_id, eligible; writes nothing',
    'POST /retention/handoff/claim: claimed; claimer_id required',
    'POST /retention/handoff/confirm: confirmed, failed; an empty array is 400',
    'GET /retention/handoff/pending: buckets by entity, target_name, status with count and oldest_age_seconds',
    'GET /retention/archives: name, type, suffix, settings',
    'GET /retention/entities: pii_fields, retention in Go notation; companion tables excluded',
  ],
  Locks: [
    'GET /locks: tenant, datastore, locks and no count; prefix, op_kind, include_expired=true',
    'two at once: one has the lock, the other learns which',
    'DELETE /locks/{resource}: tenant, resource, released, note',
    'DELETE /locks/{resource}: the holder fails at its next heartbeat',
    'the lock object',
  ],
  Materialize: [
    'GET /materialize/pending: count, tasks; pages of 100, after',
    'GET /materialize/stats: counts; runner omitted when the tenant has none',
    'POST /materialize/drain: dispatched',
  ],
  Gates: [
    'every row with every role: none, user, admin, superadmin, and the mirror',
    'datastore: of the query for reads, for DELETE /locks and for the drain; of the body for the others',
    'the superadmin mirror answers the same of the tenant in the path',
  ],
} as const;
