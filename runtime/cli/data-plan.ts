/** `skep data plan generate|show|apply`, `skep data applied list`. Spec: docs/contract/identity.md §10.3. */
import { Option, type Command } from 'commander';
import { adminCall, adminVerb, type AdminOptions } from './admin-call.ts';
import { renderRecord, renderRows, type Row } from './output.ts';
import { CliError, type Terminal } from './terminal.ts';

interface Generated {
  readonly plan_id: string;
  readonly max_risk: string;
  readonly warnings?: readonly string[];
  readonly refusals?: readonly string[];
  readonly steps: readonly Row[];
}

interface Shown {
  readonly plan: Row;
  readonly steps: readonly Row[];
}

interface Result {
  readonly status: string;
  readonly halted_step?: number;
  readonly error?: string;
}

const PLANNED = ['Order', 'Kind', 'SchemaOp', 'Entity', 'Risk', 'SQL', 'Notes'];
const LEDGER = ['StepOrder', 'SchemaOp', 'Entity', 'Status', 'Attempt', 'DurationMs', 'SQL', 'Error'];
const TENANT = 'acme:atlas:dev:main';

export function addDataPlan(data: Command, terminal: Terminal): void {
  const plan = data.command('plan').description('migration plans from the stored schema to the declared one');
  addGenerate(plan, terminal);
  addShow(plan, terminal);
  addApply(plan, terminal);
  addApplied(data, terminal);
}

function addGenerate(plan: Command, terminal: Terminal): void {
  const example = `skep data plan generate -f platform.yaml --tenant ${TENANT}`;
  adminVerb(plan, 'generate', 'make a plan; changes nothing', example)
    .option('--allow-drops', 'let the plan drop entities and fields that are no longer declared')
    .action(async (options: AdminOptions & { allowDrops?: true }) => {
      const body = { allow_drops: options.allowDrops === true };
      const made = await adminCall<Generated>(options, { row: 'plan_generate', method: 'POST', body }, terminal);
      terminal.out(options.output === 'json' ? json(made) : generatedText(made));
    });
}

function generatedText({ plan_id, max_risk, warnings = [], refusals = [], steps }: Generated): string {
  const said = [...warnings.map((text) => `warning  ${text}\n`), ...refusals.map((text) => `refused  ${text}\n`)];
  const head = renderRecord({ plan_id, max_risk, steps: steps.length }, 'table');
  return [head, ...said, renderRows(steps, 'table', PLANNED)].join('');
}

function addShow(plan: Command, terminal: Terminal): void {
  const example = `skep data plan show 01J… -f platform.yaml --tenant ${TENANT}`;
  adminVerb(plan, 'show', 'show a plan and its progress', example)
    .argument('<plan-id>')
    .action(async (id: string, options: AdminOptions) => {
      const shown = await adminCall<Shown>(options, { row: 'plan_show', method: 'GET', params: [id] }, terminal);
      const text = renderRecord(shown.plan, 'table') + renderRows(shown.steps, 'table', LEDGER);
      terminal.out(options.output === 'json' ? json(shown) : text);
    });
}

interface ApplyOptions extends AdminOptions {
  readonly confirmRisk: string;
  readonly dryRun?: true;
}

function addApply(plan: Command, terminal: Terminal): void {
  const example = `skep data plan apply 01J… --confirm-risk medium -f platform.yaml --tenant ${TENANT}`;
  adminVerb(plan, 'apply', 'apply a plan up to a confirmed risk; a halted or interrupted plan continues', example)
    .argument('<plan-id>')
    .addOption(
      new Option('--confirm-risk <level>', 'the highest risk to accept')
        .choices(['low', 'medium', 'high'])
        .makeOptionMandatory(),
    )
    .option('--dry-run', 'print what would be done, change nothing')
    .action(async (id: string, options: ApplyOptions) => {
      const body = { confirm_max_risk: options.confirmRisk, dry_run: options.dryRun === true };
      const request = { row: 'plan_apply', method: 'POST', params: [id], body } as const;
      const result = await adminCall<Result>(options, request, terminal);
      terminal.out(renderRecord({ ...result }, options.output));
      if (result.status !== 'applied' && result.status !== 'dry_run')
        throw new CliError(`skep: the plan is ${result.status}, not applied${whyNot(result)}\n`);
    });
}

function whyNot({ error, halted_step }: Result): string {
  if (halted_step !== undefined) return `: step ${halted_step} needs a higher --confirm-risk`;
  return error === undefined ? '' : `: ${error}`;
}

function addApplied(data: Command, terminal: Terminal): void {
  const applied = data.command('applied').description('the ledger of applied steps');
  const example = `skep data applied list --plan-id 01J… -f platform.yaml --tenant ${TENANT}`;
  adminVerb(applied, 'list', 'list the applied steps of a plan', example)
    .requiredOption('--plan-id <id>', 'the plan')
    .action(async (options: AdminOptions & { planId: string }) => {
      const request = { row: 'plan_applied', method: 'GET', query: { plan_id: options.planId } } as const;
      const { steps } = await adminCall<Pick<Shown, 'steps'>>(options, request, terminal);
      terminal.out(renderRows(steps, options.output, LEDGER));
    });
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
