/** `skep health`: whether a node takes requests, as an exit code. A container without a shell and without curl is probed by it. */
import type { Command } from 'commander';
import { LISTENER_ADDRESSES } from '#config/defaults.ts';
import { CliError, type Terminal } from './terminal.ts';

interface HealthOptions {
  readonly file?: string;
  readonly url?: string;
}

const EXAMPLES = `
Example:
  skep health -f platform.yaml && echo ready
`;

export function addHealth(program: Command, terminal: Terminal): void {
  program
    .command('health')
    .description('ask a running node for /readyz: exit 0 when it takes requests, 1 when it does not')
    .option('-f, --file <file>', 'the platform file of the node, which names its operations listener')
    .option('--url <url>', `the operations listener (default: http://${LISTENER_ADDRESSES.operations})`)
    .addHelpText('after', EXAMPLES)
    .action((options: HealthOptions) => health(options, terminal));
}

async function health(options: HealthOptions, terminal: Terminal): Promise<void> {
  const [{ operationsUrl }, { readinessAt }] = await Promise.all([
    import('./operations-url.ts'),
    import('#runtime/observe/ask-operations.ts'),
  ]);
  const url = await operationsUrl(options, terminal);
  const answer = await readinessAt(url).catch((error: unknown) => {
    throw new CliError(
      `skep: ${url} does not say whether it is ready: ${(error as Error).message}\n    is the node running? name its operations listener with --url, or its platform file with -f\n`,
    );
  });
  const degraded = answer.degraded?.length ?? 0;
  terminal.out(`ready:${answer.ready}${degraded === 0 ? '' : `, ${degraded} degraded: see skep top`}\n`);
  if (!answer.ready) throw new CliError('');
}
