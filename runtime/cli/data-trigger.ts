/** `skep data trigger list|events|retry|drop`: events of a tenant's triggers. Spec: docs/contract/triggers.md §4. */
import { Option, type Command } from 'commander';
import { askNode, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRows, type Row } from './output.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = ['id', 'trigger', 'entity', 'event', 'key', 'due', 'outcome', 'attempts', 'error', 'ended_at'];
const OUTCOMES = ['waiting', 'refused', 'failed', 'dropped'];

type OfTenant = OperatorOptions & { readonly tenant: string };

export function addDataTrigger(data: Command, terminal: Terminal): void {
  const trigger = data.command('trigger').description('triggers and their events').enablePositionalOptions();
  const example = (verb: string, more = ''): string =>
    `skep data trigger ${verb} -f platform.yaml --tenant acme:atlas:dev:main${more}`;
  operatorVerb(trigger, 'list', 'list triggers with the counts of their events', example('list'))
    .addOption(tenantOption().makeOptionMandatory())
    .action(async ({ file, tenant, output }: OfTenant) => {
      const rows = (await askNode(await platformOf(file, terminal), 'trigger.list', { tenant })) as Row[];
      terminal.out(renderRows(rows, output));
    });
  operatorVerb(trigger, 'events', 'list events that wait or failed', example('events', ' --outcome failed'))
    .addOption(tenantOption().makeOptionMandatory())
    .addOption(new Option('--outcome <outcome>', 'only these').choices(OUTCOMES))
    .action(async ({ file, tenant, outcome, output }: OfTenant & { outcome?: string }) => {
      const wish = { tenant, ...(outcome !== undefined && { outcome }) };
      const rows = (await askNode(await platformOf(file, terminal), 'trigger.events', wish)) as Row[];
      terminal.out(renderRows(rows, output, output === 'table' ? COLUMNS : undefined));
    });
  addOne(trigger, terminal, 'retry', 'try an event again, under its id', example('retry', ' --id 01J…'));
  addOne(
    trigger,
    terminal,
    'drop',
    'end an event that waits, or forget one that failed',
    example('drop', ' --id 01J…'),
  );
}

function addOne(trigger: Command, terminal: Terminal, verb: 'retry' | 'drop', what: string, example: string): void {
  operatorVerb(trigger, verb, what, example)
    .addOption(tenantOption().makeOptionMandatory())
    .requiredOption('--id <id>', 'the event')
    .action(async ({ file, tenant, id, output }: OfTenant & { id: string }) => {
      const done = (await askNode(await platformOf(file, terminal), `trigger.${verb}`, { tenant, id })) as Row;
      terminal.out(renderRows([done], output));
    });
}
