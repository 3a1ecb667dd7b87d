/**
 * docs/contract/data-admin.md row by row, as the contract has them and not as the code does: who passes, by the class
 * table of §1, and what a harmless request gets.
 */
export type Class = 'Read' | 'Generate' | 'Seed' | 'Maintenance' | 'Apply' | 'Retention' | 'Locks';

export interface ContractRow {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/data/admin/data/`, as the contract writes it. */
  readonly path: string;
  readonly class: Class;
  /** With what stands for its parameters, and a query where it needs one. */
  readonly ask?: string;
  readonly body?: object;
  /** The status for a caller that passes; 200 unless the row says otherwise. */
  readonly status?: number;
  readonly code?: string;
}

export const ADMIN: readonly ContractRow[] = [
  { method: 'POST', path: 'plans', class: 'Generate', body: {} },
  { method: 'GET', path: 'plans/{id}', class: 'Read', ask: 'plans/none', status: 404, code: 'v2.plan_not_found' },
  {
    method: 'POST',
    path: 'plans/{id}/apply',
    class: 'Apply',
    ask: 'plans/none/apply',
    body: {},
    status: 404,
    code: 'v2.plan_not_found',
  },
  { method: 'GET', path: 'applied', class: 'Read', ask: 'applied?plan_id=none' },
  { method: 'POST', path: 'seeds/runs', class: 'Seed', body: { dry_run: true } },
  { method: 'GET', path: 'seeds', class: 'Read' },
  { method: 'POST', path: 'retention/runs', class: 'Retention', body: { dry_run: true } },
  { method: 'GET', path: 'retention/preview', class: 'Read' },
  { method: 'POST', path: 'retention/handoff/claim', class: 'Retention', body: { claimer_id: 'somebody' } },
  {
    method: 'POST',
    path: 'retention/handoff/confirm',
    class: 'Retention',
    body: { confirmations: [] },
    status: 400,
  },
  { method: 'GET', path: 'retention/handoff/pending', class: 'Read' },
  { method: 'GET', path: 'retention/archives', class: 'Read' },
  { method: 'GET', path: 'retention/entities', class: 'Read' },
  { method: 'GET', path: 'locks', class: 'Read' },
  { method: 'DELETE', path: 'locks/{resource}', class: 'Locks', ask: 'locks/seeds:default' },
  { method: 'GET', path: 'actions', class: 'Read' },
  {
    method: 'POST',
    path: 'actions/{name}/explain',
    class: 'Read',
    ask: 'actions/none/explain',
    status: 404,
    code: 'v2.action_not_found',
  },
  { method: 'GET', path: 'materialize/pending', class: 'Read' },
  { method: 'GET', path: 'materialize/stats', class: 'Read' },
  { method: 'POST', path: 'materialize/drain', class: 'Maintenance' },
  { method: 'GET', path: 'references/{entity}', class: 'Read', ask: 'references/item' },
  { method: 'GET', path: 'hashes', class: 'Read' },
  // docs/contract/data-admin.md §10.4
  {
    method: 'POST',
    path: 'explain',
    class: 'Read',
    body: { user: 'none', method: 'GET', target: '/data/rest/item' },
    status: 404,
    code: 'v2.unknown_user',
  },
  // docs/contract/triggers.md §7.4
  { method: 'GET', path: 'submissions', class: 'Read' },
  { method: 'GET', path: 'submissions/export', class: 'Read' },
  // docs/contract/triggers.md §4
  { method: 'GET', path: 'triggers', class: 'Read' },
  { method: 'GET', path: 'triggers/events', class: 'Read' },
  {
    method: 'POST',
    path: 'triggers/events/{id}/retry',
    class: 'Maintenance',
    ask: 'triggers/events/none/retry',
    status: 404,
    code: 'v2.trigger_event_not_found',
  },
  {
    method: 'DELETE',
    path: 'triggers/events/{id}',
    class: 'Maintenance',
    ask: 'triggers/events/none',
    status: 404,
    code: 'v2.trigger_event_not_found',
  },
  // docs/contract/changes.md §8.4
  { method: 'GET', path: 'changes/groups', class: 'Read' },
  {
    method: 'DELETE',
    path: 'changes/groups/{name}',
    class: 'Maintenance',
    ask: 'changes/groups/none',
    status: 404,
    code: 'v2.changes_group_not_found',
  },
];

/** The superadmin plane's own rows, below `/data/superadmin/`. */
export const SUPERADMIN: readonly Pick<ContractRow, 'method' | 'path' | 'ask'>[] = [
  { method: 'GET', path: 'tenant' },
  { method: 'DELETE', path: 'tenant/{tenant}/cache', ask: 'tenant/other/cache' },
];
