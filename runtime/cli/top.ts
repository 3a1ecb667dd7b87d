/** `skep top`: what a running node does. */
import type { Command } from 'commander';
import { LISTENER_ADDRESSES } from '#config/defaults.ts';
import { outputOption } from './output.ts';
import type { Terminal } from './terminal.ts';
import type { TopOptions } from './top-options.ts';

const EXAMPLES = `
Example:
  skep top -f platform.yaml
  skep top --once -o json | jq .all
`;

export function addTop(program: Command, terminal: Terminal): void {
  program
    .command('top')
    .description('show what a running node does: requests, times, tenants, what is degraded')
    .option('-f, --file <file>', 'the platform file of the node, which names its operations listener')
    .option('--url <url>', `the operations listener (default: http://${LISTENER_ADDRESSES.operations})`)
    .option('--every <duration>', 'how often to look', '2s')
    .option('--once', 'look once and end; so it does where the output is no terminal')
    .option('--tenants <n>', 'how many tenants to show, the busiest first', '10')
    .addOption(outputOption())
    .addHelpText('after', EXAMPLES)
    .action(async (options: TopOptions) => (await import('./top-look.ts')).top(options, terminal));
}
