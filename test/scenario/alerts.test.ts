/** The alerts and the dashboard that an operator is given, by Prometheus itself beside a real node. Spec: docs/contract/platform.md §3.3. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { metricsIn, metricsShown, RULES, rulesOf } from '#test/kit/alert-rules.ts';
import { useDataNode } from '#test/kit/data-node.ts';
import { runVerb } from '#runtime/control-verbs.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { hasPrometheus, startPrometheus } from '#test/kit/prometheus.ts';

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

const dashboard = JSON.parse(
  readFileSync(new URL('../../docs/operate/dashboard.json', import.meta.url), 'utf8'),
) as Dashboard;
const expressions = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const));
const rules = readFileSync(RULES, 'utf8');
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);

const on = useDataNode();

/** Those of nodes on a log are held against a pair of them in test/crash/far-doors.test.ts. */
test('every metric of the alerts and of the dashboard is one of the node', async () => {
  const { text } = await on.it.call('GET', '/metrics', {}, undefined, on.it.node.listeners['operations']);
  const shown = metricsShown(text);
  const asked = new Set([...metricsIn(rulesOf('skep')), ...expressions.flatMap(([, e]) => metricsIn(e))]);
  expect(asked.size).toBeGreaterThan(15);
  expect([...asked].filter((name) => !shown.has(name))).toEqual([]);
});

test.skipIf(!hasPrometheus)(
  'Prometheus finds every panel in a node under load, and evaluates every alert',
  { timeout: 90_000 },
  async () => {
    await runVerb(on.it.node, 'tenant.quota', { key: TENANT, set: { requests: 1_000_000 } });
    const prometheus = await startPrometheus(on.it.node.listeners['operations']!);
    onTestFinished(() => prometheus.stop());
    const load = setInterval(() => {
      void on.it.call('GET', '/data/rest/item', on.bearer);
      void on.it.call('POST', '/data/rest/item', on.bearer, { name: 'asked' });
    }, 50);
    onTestFinished(() => clearInterval(load));
    const settled = (expression: string): string =>
      expression.replaceAll('$__rate_interval', '1m').replaceAll('"$instance"', '".*"');
    const empty = async (): Promise<string[]> => {
      const found = await Promise.all(
        expressions.map(async ([title, e]) => ((await prometheus.series(settled(e))) > 0 ? null : title)),
      );
      return found.filter((title) => title !== null);
    };
    await expect
      .poll(() => empty().catch((error: unknown) => [String(error)]), { timeout: 40_000, interval: 500 })
      .toEqual([]);
    await expect
      .poll(async () => (await prometheus.rules()).map(({ name, health }) => [name, health]), {
        timeout: 40_000,
        interval: 500,
      })
      .toEqual(alerts.map((name) => [name, 'ok']));
  },
);

/** For each alert what a node shows when it should fire, a sample a minute. */
const TROUBLE: Readonly<Record<string, readonly (readonly [series: string, values: string])[]>> = {
  SkepDown: [['up', '0x30']],
  SkepDegraded: [['skep_degraded{scope="part"}', '1x30']],
  SkepDiskNearlyFull: [
    ['skep_disk_free_bytes', '150x30'],
    ['skep_disk_free_bytes_min', '100x30'],
  ],
  SkepDiskFull: [
    ['skep_disk_free_bytes', '99x30'],
    ['skep_disk_free_bytes_min', '100x30'],
  ],
  SkepFailures: [
    ['skep_requests_total{service="data",status="5xx"}', '0+2x30'],
    ['skep_requests_total{service="data",status="2xx"}', '0+100x30'],
  ],
  SkepSlow: [
    ['skep_request_seconds_bucket{service="data",le="1"}', '0+90x30'],
    ['skep_request_seconds_bucket{service="data",le="2.5"}', '0+100x30'],
    ['skep_request_seconds_bucket{service="data",le="+Inf"}', '0+100x30'],
  ],
  SkepShedding: [['skep_requests_shed_total{by="door"}', '0+120x30']],
  SkepConnectionsNearlyUsed: [
    ['skep_connections', '81x30'],
    ['skep_connections_max', '100x30'],
  ],
  SkepHostReplaced: [['skep_hosts_replaced_total', '0x20 1x10']],
  SkepThreadRestarts: [['skep_thread_restarts_total{thread="host-0"}', '0+1x30']],
  SkepDiskSlow: [
    ['skep_journal_sync_seconds_bucket{le="0.25"}', '0+90x30'],
    ['skep_journal_sync_seconds_bucket{le="0.5"}', '0+100x30'],
    ['skep_journal_sync_seconds_bucket{le="+Inf"}', '0+100x30'],
  ],
  SkepParcelsStuck: [['skep_parcels_oldest_seconds{kind="mail"}', '1801x30']],
  SkepParcelsLost: [['skep_parcels_settled_total{kind="mail",outcome="given_up"}', '0x20 1x10']],
  SkepLoginsRefused: [
    ['skep_logins_total{result="refused"}', '0+120x30'],
    ['skep_logins_total{result="ok"}', '0+30x30'],
  ],
  SkepAuditRecordsLost: [['skep_audit_records_lost_total', '0x20 5x10']],
  SkepAuditRefused: [['skep_audit_logs_refused', '1x30']],
  SkepDamage: [['skep_scrub_faults{kind="row"}', '0x20 1x10']],
  SkepBackupLate: [
    ['skep_backup_every_seconds', '300x30'],
    ['skep_backup_last_success_timestamp_seconds', '60x30'],
  ],
  SkepBackupUnproven: [['skep_backup_verify_failures_total', '0x20 1x10']],
  SkepJournalCopyLate: [
    ['skep_journal_copy_every_seconds', '5x30'],
    ['skep_journal_copy_timestamp_seconds', '60x30'],
  ],
  SkepJournalCopyGap: [['skep_journal_copy_gaps_total', '0x20 1x10']],
  SkepTenantNearQuota: [['skep_tenant_quota_used_ratio{tenant="a:b:c:d",quota="rows"}', '0.95x30']],
  SkepCertificateEnds: [
    ['skep_certificate_not_before_timestamp_seconds{listener="gateway",certificate="a.test"}', '-7000000x30'],
    ['skep_certificate_not_after_timestamp_seconds{listener="gateway",certificate="a.test"}', '1000000x30'],
  ],
  SkepCertificateNotRenewed: [['skep_acme_failures{name="a.test"}', '3x30']],
  SkepLogStalled: [
    ['skep_degraded{scope="journal"}', '1x30'],
    ['skep_lease_seconds', '15x30'],
  ],
  SkepLeaseShort: [
    ['skep_lease_seconds', '15x30'],
    ['skep_lease_left_seconds', '5.9x30'],
  ],
  SkepStandbyMissing: [['skep_standbys', '0x30']],
  SkepStandbyStuck: [['skep_standby_follows', '0x30']],
  SkepStandbyLate: [['skep_standby_age_seconds', '61x30']],
  SkepLinkDown: [['skep_link_up', '0x30']],
  SkepLinkUnsteady: [['skep_link_lost_total', '0x20 10x10']],
  SkepLogCopiesLate: [
    ['skep_log_copy_every_seconds', '300x30'],
    ['skep_log_copy_timestamp_seconds', '-2400x30'],
  ],
  SkepLogCopiesFail: [['skep_log_copy_failures_total', '0x20 4x10']],
};
/** What fires beside an alert. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  SkepDiskFull: ['SkepDiskNearlyFull'],
  SkepLogStalled: ['SkepDegraded'],
};
/** The same series of a node that is well: no alert fires. */
const WELL: readonly (readonly [series: string, values: string])[] = [
  ['up', '1x30'],
  ['skep_degraded{scope="part"}', '0x30'],
  ['skep_disk_free_bytes', '200x30'],
  ['skep_disk_free_bytes_min', '100x30'],
  ['skep_requests_total{service="data",status="5xx"}', '0+1x30'],
  ['skep_requests_total{service="data",status="2xx"}', '0+100x30'],
  ['skep_request_seconds_bucket{service="data",le="1"}', '0+100x30'],
  ['skep_request_seconds_bucket{service="data",le="+Inf"}', '0+100x30'],
  ['skep_requests_shed_total{by="door"}', '0+30x30'],
  ['skep_connections', '80x30'],
  ['skep_connections_max', '100x30'],
  ['skep_hosts_replaced_total', '3x30'],
  ['skep_thread_restarts_total{thread="host-0"}', '2x30'],
  ['skep_journal_sync_seconds_bucket{le="0.25"}', '0+100x30'],
  ['skep_journal_sync_seconds_bucket{le="+Inf"}', '0+100x30'],
  ['skep_parcels_oldest_seconds{kind="mail"}', '60x30'],
  ['skep_parcels_settled_total{kind="mail",outcome="given_up"}', '4x30'],
  ['skep_parcels_settled_total{kind="mail",outcome="sent"}', '0+10x30'],
  ['skep_logins_total{result="refused"}', '0+80x30'],
  ['skep_logins_total{result="ok"}', '0+60x30'],
  ['skep_audit_records_lost_total', '4x30'],
  ['skep_audit_logs_refused', '0x30'],
  ['skep_scrub_faults{kind="row"}', '0x30'],
  ['skep_backup_every_seconds', '300x30'],
  ['skep_backup_last_success_timestamp_seconds', '0+60x30'],
  ['skep_backup_verify_failures_total', '2x30'],
  ['skep_journal_copy_every_seconds', '5x30'],
  ['skep_journal_copy_timestamp_seconds', '0+60x30'],
  ['skep_journal_copy_gaps_total', '1x30'],
  // Six days of life, of which two are left; and 90 days with 15 left.
  ['skep_certificate_not_before_timestamp_seconds{listener="gateway",certificate="b.test"}', '-345600x30'],
  ['skep_certificate_not_after_timestamp_seconds{listener="gateway",certificate="b.test"}', '172800x30'],
  ['skep_certificate_not_before_timestamp_seconds{listener="audit",certificate="c.test"}', '-6480000x30'],
  ['skep_certificate_not_after_timestamp_seconds{listener="audit",certificate="c.test"}', '1300000x30'],
  ['skep_acme_failures{name="a.test"}', '2x30'],
  ['skep_degraded{scope="journal"}', '0x30'],
  ['skep_lease_seconds', '15x30'],
  ['skep_lease_left_seconds', '9x30'],
  ['skep_standbys', '1x30'],
  ['skep_standby_follows', '1x30'],
  ['skep_standby_age_seconds', '1x30'],
  ['skep_link_up', '1x30'],
  ['skep_link_lost_total', '3x30'],
  ['skep_log_copy_every_seconds', '300x30'],
  ['skep_log_copy_timestamp_seconds', '0+60x30'],
  ['skep_log_copy_failures_total', '2x30'],
];

/** A series with the labels that a scrape adds. */
function scraped(series: string): string {
  const [name, labels = ''] = series.replace('}', '').split('{');
  return `${name}{job="skep",instance="a:9098"${labels === '' ? '' : `,${labels}`}}`;
}

const caseOf = (input: typeof WELL, firing: readonly string[]) => ({
  interval: '1m',
  input_series: input.map(([series, values]) => ({ series: scraped(series), values })),
  promql_expr_test: [
    {
      expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: '25m',
      exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
    },
  ],
});

test.skipIf(!hasPrometheus)('promtool: each alert fires in its trouble, and none on a node that is well', () => {
  expect(Object.keys(TROUBLE)).toEqual(alerts);
  const dir = mkdtempSync(join(tmpdir(), 'skep-alerts-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const tests = [caseOf(WELL, []), ...alerts.map((name) => caseOf(TROUBLE[name]!, [name, ...(BESIDE[name] ?? [])]))];
  writeFileSync(join(dir, 'tests.yml'), JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
  execFileSync('promtool', ['check', 'rules', RULES], { stdio: 'pipe' }); // both throw with what is wrong
  execFileSync('promtool', ['test', 'rules', join(dir, 'tests.yml')], { stdio: 'pipe' });
});
