/** `skep dev`: a node that follows the files of its products. Spec: docs/contract/platform.md §1.9. */
import { Option, type Command } from 'commander';
import type { DevOptions } from './dev-options.ts';
import { guarded } from './operator-verb.ts';
import { setOption } from './set-flag.ts';
import type { Terminal } from './terminal.ts';

export function addDev(program: Command, terminal: Terminal): void {
  program
    .command('dev')
    .description(
      'serve a node and follow the files of its products: each save is checked, planned and applied where nothing is lost or rewritten',
    )
    .option('-f, --file <file>', 'the platform file to serve', 'platform.yaml')
    .option('--email <address>', 'the administrator of tenants that it makes', 'admin@example.org')
    .addOption(
      new Option(
        '-l, --level <level>',
        'log level of the node: trace, debug, info, warn, error, fatal, silent',
      ).default('warn'),
    )
    .addOption(setOption())
    .addHelpText('after', HELP)
    .action(async (options: DevOptions) => {
      const { develop } = await import('./develop.ts');
      await guarded(() => develop(options, terminal));
    });
}

const HELP = `
It makes tenants of the file that are not there yet, each with an administrator whose password it shows once. A file with a mistake
changes nothing: the mistake is shown with file, line and how to mend it, and the node goes on. A step that would lose or rewrite rows
is left out, with the command that takes it by hand. Ctrl-C ends it; acknowledged writes stay.

Examples:
  skep dev
  skep dev -f shop/platform.yaml --email me@example.org
`;
