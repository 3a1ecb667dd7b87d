/** `skep data trigger list|events|retry|drop`: events of a tenant's triggers. Spec: docs/contract/triggers.md §4. */
import { Option, type Command } from 'commander';
import { shownVerb, type TenantOptions } from './operator-verb.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = ['id', 'trigger', 'entity', 'event', 'key', 'due', 'outcome', 'attempts', 'error', 'ended_at'];
const OUTCOMES = ['waiting', 'refused', 'failed', 'dropped'];

export function addDataTrigger(data: Command, terminal: Terminal): void {
  const trigger = data.command('trigger').description('triggers and their events').enablePositionalOptions();
  const example = (verb: string, more = ''): string =>
    `skep data trigger ${verb} -f platform.yaml --tenant acme:atlas:dev:main${more}`;
  shownVerb(trigger, terminal, {
    name: 'list',
    what: 'list triggers with the counts of their events',
    example: example('list'),
    ofTenant: true,
    show: (ask, { tenant }: TenantOptions) => ask('trigger.list', { tenant }),
  });
  shownVerb(trigger, terminal, {
    name: 'events',
    what: 'list events that wait or failed',
    example: example('events', ' --outcome failed'),
    ofTenant: true,
    columns: COLUMNS,
    show: (ask, { tenant, outcome }: TenantOptions & { outcome?: string }) =>
      ask('trigger.events', { tenant, ...(outcome !== undefined && { outcome }) }),
  }).addOption(new Option('--outcome <outcome>', 'only these').choices(OUTCOMES));
  for (const [name, what] of [
    ['retry', 'try an event again, under its id'],
    ['drop', 'end an event that waits, or forget one that failed'],
  ] as const)
    shownVerb(trigger, terminal, {
      name,
      what,
      example: example(name, ' --id 01J…'),
      ofTenant: true,
      show: async (ask, { tenant, id }: TenantOptions & { id: string }) => [
        await ask(`trigger.${name}`, { tenant, id }),
      ],
    }).requiredOption('--id <id>', 'the event');
}
