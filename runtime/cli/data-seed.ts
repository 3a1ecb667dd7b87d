/** `skep data seed run|list`. Spec: docs/contract/identity.md §10.3. */
import type { Command } from 'commander';
import { adminCall, adminVerb } from './admin-call.ts';
import type { AdminOptions } from './admin-call.ts';
import { renderRows } from './output.ts';
import type { Row } from './output.ts';
import { CliError, EXIT } from './terminal.ts';
import type { Terminal } from './terminal.ts';

const TENANT = 'acme:atlas:dev:main';
const LISTED = ['name', 'entity', 'strategy', 'status', 'applied_at', 'source', 'error'];
const OUTCOME = ['Name', 'Status', 'Rows', 'Reason'];

interface RunOptions extends AdminOptions {
  readonly environment?: string;
  readonly dryRun?: true;
  readonly force?: true;
}

interface Report {
  readonly failed_count: number;
  readonly outcomes: readonly Row[];
}

export function addDataSeed(data: Command, terminal: Terminal): void {
  const seed = data.command('seed').description('rows that the product gives a tenant, once per content');
  addRun(seed, terminal);
  const example = `skep data seed list -f platform.yaml --tenant ${TENANT}`;
  adminVerb(seed, 'list', 'list the seeds with what was applied', example).action(async (options: AdminOptions) => {
    const { seeds } = await adminCall<{ seeds: Row[] }>(options, { row: 'seeds', method: 'GET' }, terminal);
    terminal.out(renderRows(seeds, options.output, LISTED));
  });
}

/** Ends with a failure's exit code when a seed failed: a script that goes on would build on rows that are not there. */
function addRun(seed: Command, terminal: Terminal): void {
  const example = `skep data seed run countries cities -f platform.yaml --tenant ${TENANT}`;
  adminVerb(seed, 'run', 'apply seeds that were not applied with their present content', example)
    .argument('[names...]', 'the seeds; all that are for the environment when none is named')
    .option('--environment <env>', 'the environment to seed for; the env of the tenant unless given')
    .option('--dry-run', 'say what would be done, change nothing')
    .option('--force', 'apply what was applied already, too')
    .action(async (names: string[], options: RunOptions) => {
      const { environment, dryRun, force } = options;
      const body = {
        names,
        ...(environment !== undefined && { environment }),
        dry_run: dryRun === true,
        force: force === true,
      };
      const report = await adminCall<Report>(options, { row: 'seed_run', method: 'POST', body }, terminal);
      terminal.out(renderRows(report.outcomes, options.output, OUTCOME));
      if (report.failed_count > 0)
        throw new CliError(`skep: seeds that failed: ${report.failed_count}\n`, EXIT.failure);
    });
}
