/** `skep data seed run|list`. Spec: docs/contract/identity.md §10.3. */
import type { Command } from 'commander';
import { adminCall, adminVerb, type AdminOptions } from './admin-call.ts';
import { renderRows, type Row } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

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
  const seed = data.command('seed').description('rows of the product for a tenant, applied once per content');
  addRun(seed, terminal);
  const example = `skep data seed list -f platform.yaml --tenant ${TENANT}`;
  adminVerb(seed, 'list', 'list the seeds and which of them were applied', example).action(
    async (options: AdminOptions) => {
      const { seeds } = await adminCall<{ seeds: Row[] }>(options, { row: 'seeds', method: 'GET' }, terminal);
      terminal.out(renderRows(seeds, options.output, LISTED));
    },
  );
}

/** Exits with a failure's code when a seed failed: a script that continued would build on missing rows. */
function addRun(seed: Command, terminal: Terminal): void {
  const example = `skep data seed run countries cities -f platform.yaml --tenant ${TENANT}`;
  adminVerb(seed, 'run', 'apply the seeds that were not yet applied with their present content', example)
    .argument('[names...]', 'names of seeds; without a name, all seeds of the environment')
    .option('--environment <env>', 'the environment to seed for; by default the env of the tenant')
    .option('--dry-run', 'print what would be done, change nothing')
    .option('--force', 'apply seeds again that were applied already')
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
