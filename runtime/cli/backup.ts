/** `skep backup now|list|status|verify|restore`: backups of a whole node. Spec: docs/contract/platform.md §5. */
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import type { SetSummary } from '#runtime/backups/set-job.ts';
import type { RestoreOptions } from './backup-restore.ts';
import { askNode, guarded, instantOf, operatorVerb, platformOf, tenantKey } from './operator-verb.ts';
import type { OperatorOptions } from './operator-verb.ts';
import { outputOption, renderRecord, renderRows, type OutputFormat, type Row } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

interface PrintedRestore extends RestoreOptions {
  readonly output: OutputFormat;
}

export function addBackup(program: Command, terminal: Terminal): void {
  const backup = program
    .command('backup')
    .description('backups of a whole node: sets of every tenant, audit logs, forms, vault')
    .enablePositionalOptions();
  const ask = async (verb: string, body: unknown, { file }: OperatorOptions): Promise<unknown> => {
    const platform = await platformOf(file, terminal);
    return askNode(platform, verb, body, (step) => terminal.err(`${step}\n`));
  };
  operatorVerb(
    backup,
    'now',
    'make a set now, beside the schedule; the node keeps serving',
    'skep backup now -f platform.yaml',
  ).action(async (options: OperatorOptions) =>
    terminal.out(renderRecord((await ask('backup.now', null, options)) as Row, options.output)),
  );
  operatorVerb(backup, 'list', 'list the sets, newest first', 'skep backup list -f platform.yaml').action(
    async (options: OperatorOptions) => {
      const sets = (await ask('backup.list', null, options)) as readonly SetSummary[];
      terminal.out(renderRows(sets as unknown as readonly Row[], options.output, COLUMNS));
    },
  );
  operatorVerb(
    backup,
    'status',
    'show where sets go, the newest one, the next one, and the last failure',
    'skep backup status -f platform.yaml',
  ).action(async (options: OperatorOptions) =>
    terminal.out(renderRecord((await ask('backup.status', null, options)) as Row, options.output)),
  );
  operatorVerb(
    backup,
    'verify',
    'read every part of a set and compare it with its digest',
    'skep backup verify -f platform.yaml',
  )
    .addOption(setOption())
    .option('--restore', 'restore it into a scratch directory for proof, too, and compare what comes out')
    .action(async ({ set, restore, ...options }: OperatorOptions & { set: string; restore?: boolean }) => {
      const wish = { set, restore: restore === true };
      terminal.out(renderRecord((await ask('backup.verify', wish, options)) as Row, options.output));
    });
  addRestore(backup, terminal);
}

const COLUMNS = ['id', 'tenants', 'bytes', 'new_bytes', 'encrypted', 'fault'];

const setOption = (): Option => new Option('--set <id>', 'the set, or latest for the newest').default('latest');

function addRestore(backup: Command, terminal: Terminal): void {
  backup
    .command('restore')
    .description(
      'restore a set into a new data directory (--into), or one tenant of it beside those of the node (--tenant, --as); a damaged part is refused by its name, and nothing is half restored',
    )
    .option('-f, --file <file>', 'the platform file: its place for backups, and with --tenant its node')
    .option('--from <directory>', 'the place, where it is a directory')
    .option('--set <id>', 'the set; the newest when left out')
    .option('--into <directory>', 'the data directory to make: absent, or empty')
    .addOption(new Option('--tenant <tenant>', 'customer:product:env:tenant of the set').argParser(tenantKey))
    .addOption(new Option('--as <tenant>', 'its name on the node').argParser(tenantKey))
    .addOption(
      new Option(
        '--at <instant>',
        'the moment of the tenant, such as 2026-11-25T22:14:05Z (backups.journal)',
      ).argParser(instantOf),
    )
    .option('--other-definitions', "restore a tenant although the product's definitions have changed since")
    .option('--identity <file>', 'the identity (age) of a recipient of the set, where it is encrypted')
    .addOption(outputOption())
    .addHelpText('after', EXAMPLES)
    .action(async (options: PrintedRestore) => {
      checkOptions(options);
      const { restoreNode, restoreOneTenant } = await import('./backup-restore.ts');
      const wish = { ...options, ...(options.identity !== undefined && { identity: resolve(options.identity) }) };
      const restore = options.tenant === undefined ? restoreNode : restoreOneTenant;
      terminal.out(renderRecord(await guarded(() => restore(wish, terminal)), options.output));
    });
}

function checkOptions({ as, at, file, from, into, set, tenant }: RestoreOptions): void {
  const wrong = (what: string, mend: string): never => {
    throw new CliError(`skep: ${what}\n    ${mend}\n`, EXIT.usage);
  };
  if (file === undefined && from === undefined)
    wrong('no place is named', 'add --from <directory>, or -f platform.yaml for the place of its backups');
  if ((into === undefined) === (tenant === undefined))
    wrong('restore either a node or a tenant', 'add --into <directory>, or --tenant <tenant> --as <tenant>');
  if (tenant !== undefined && file === undefined)
    wrong('a tenant is restored on a node, and none is named', 'add -f platform.yaml');
  if (at !== undefined && tenant === undefined) wrong('--at is for one tenant', 'add --tenant <tenant>');
  if (at !== undefined && set !== undefined) wrong('--at finds its set by itself', 'leave out --set');
  if (as !== undefined && tenant === undefined) wrong('--as is for one tenant', 'add --tenant <tenant>');
}

const EXAMPLES = `
Examples:
  skep backup restore --from /mnt/backups/node-1 --into /var/lib/skep
  skep backup restore -f platform.yaml --into ./restored --set 2026-11-25T22-00-00.000Z --identity backup.key
  skep backup restore -f platform.yaml --tenant acme:atlas:dev:main --as acme:atlas:dev:yesterday
  skep backup restore -f platform.yaml --tenant acme:atlas:dev:main --as acme:atlas:dev:before --at 2026-11-25T22:14:05Z
`;
