/** `skep tls status|renew`: the certificates that a node orders by itself. Spec: docs/contract/platform.md §3.8. */
import type { Command } from 'commander';
import { guarded, operatorVerb, platformOf, shownVerb, type OperatorOptions } from './operator-verb.ts';
import { renderRows } from './output.ts';
import type { Terminal } from './terminal.ts';

export function addTls(program: Command, terminal: Terminal): void {
  const tls = program
    .command('tls')
    .description('certificates that the node orders by itself (ACME)')
    .enablePositionalOptions();
  operatorVerb(
    tls,
    'status',
    'show for each name until when its certificate lasts, when it is renewed, and why the last order failed; run it as the user of the node',
    'skep tls status -f platform.yaml',
  ).action(async (options: OperatorOptions) => {
    const [platform, { statusOf }, { timestamp }] = await Promise.all([
      platformOf(options.file, terminal),
      import('#runtime/acme/status.ts'),
      import('#actors/kit/clock.ts'),
    ]);
    const names = await guarded(() => statusOf(platform, Date.now()));
    if (names.length === 0) terminal.err('skep: no certificate is ordered by this node: set gateway.tls.acme\n');
    const rows = names.map(({ attempts, dueMs, life, name }) => ({
      name,
      until: life === null ? null : timestamp(life.notAfterMs),
      next_order: timestamp(dueMs),
      failures: attempts.failures,
      failure: attempts.failure?.what ?? null,
      mend: attempts.failure?.mend ?? null,
    }));
    terminal.out(renderRows(rows, options.output, COLUMNS));
  });
  shownVerb(tls, terminal, {
    name: 'renew',
    what: 'order the certificate of a name now, on the running node; the present one is shown until the new one is whole',
    example: 'skep tls renew -f platform.yaml --name app.example.org',
    show: (ask, { name }: OperatorOptions & { name: string }) => ask('tls.renew', { name }),
  }).requiredOption('--name <host>', 'a name of gateway.sites');
}

const COLUMNS = ['name', 'until', 'next_order', 'failures', 'failure', 'mend'];
