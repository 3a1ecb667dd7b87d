/** `skep tenant backup|restore|export|move|delete|repair`: verbs on a whole tenant, on a running node or on the stores of a stopped one. */
import { resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { BackupWish, RestoreWish } from '#runtime/copies/tenant-copies.ts';
import { askNode, instantOf, operatorVerb, platformOf, tenantKey, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, type Row } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

type To = OperatorOptions & { readonly to: string; readonly overwrite?: boolean };
interface RestoreOptions extends OperatorOptions {
  readonly as?: string;
  /** In milliseconds. */
  readonly at?: number;
  readonly otherDefinitions?: boolean;
}

const KEY = 'customer:product:env:tenant';

export function addTenantCopies(tenant: Command, terminal: Terminal): void {
  addBackup(tenant, terminal);
  addRestore(tenant, terminal);
  addExport(tenant, terminal);
  addMove(tenant, terminal);
  addDelete(tenant, terminal);
  addRepair(tenant, terminal);
}

function addBackup(tenant: Command, terminal: Terminal): void {
  operatorVerb(
    tenant,
    'backup',
    'back up a tenant with its files, as it is at one moment, into one file; it keeps serving',
    'skep tenant backup -f platform.yaml acme:atlas:dev:main --to /backups/main.skep',
  )
    .argument('<tenant>', KEY, tenantKey)
    .requiredOption('--to <file>', 'the file, written by the node; it holds keys and password hashes')
    .option('--overwrite', 'overwrite an existing file')
    .action((key: string, { to, overwrite, ...options }: To) => {
      const wish: BackupWish = { tenant: key, to: resolve(to), over: overwrite ?? false };
      return run('tenant.backup', wish, options, terminal);
    });
}

function addRestore(tenant: Command, terminal: Terminal): void {
  operatorVerb(
    tenant,
    'restore',
    'restore a tenant from a backup, after the whole file was verified, or as it was at a time (--at: storage.history); safe to run again after an interruption',
    'skep tenant restore -f platform.yaml /backups/main.skep --as acme:atlas:dev:copy\n' +
      '  skep tenant restore -f platform.yaml acme:atlas:dev:main --at 2026-11-25T22:14:05Z --as acme:atlas:dev:before',
  )
    .argument('<from>', 'a file of skep tenant backup; with --at a tenant, also one that was deleted since')
    .addOption(new Option('--as <tenant>', `${KEY}, for another name`).argParser(tenantKey))
    .addOption(
      new Option(
        '--at <instant>',
        'the time, such as 2026-11-25T22:14:05Z: everything that was answered by then',
      ).argParser(instantOf),
    )
    .option('--other-definitions', "restore although the product's definitions have changed since")
    .action(async (from: string, { as, at, otherDefinitions = false, ...options }: RestoreOptions) => {
      if (at === undefined) {
        const wish: RestoreWish = { from: resolve(from), otherDefinitions, ...(as === undefined ? {} : { as }) };
        return run('tenant.restore', wish, options, terminal);
      }
      const named = tenantKey(from);
      if (as === undefined)
        throw new CliError('skep: what a tenant was at a time is another tenant\n    add --as <tenant>\n', EXIT.usage);
      const platform = await platformOf(options.file, terminal);
      const { restoreTenantThen } = await import('./tenant-then.ts');
      const wish = { tenant: named, at, as, otherDefinitions };
      terminal.out(renderRecord(await restoreTenantThen(platform, wish, terminal), options.output));
    });
}

function addExport(tenant: Command, terminal: Terminal): void {
  operatorVerb(
    tenant,
    'export',
    'export the rows, old versions and users of a tenant as JSONL, and its files, into a new directory; unmasked, without secrets',
    'skep tenant export -f platform.yaml acme:atlas:dev:main --to ./main',
  )
    .argument('<tenant>', KEY, tenantKey)
    .requiredOption('--to <directory>', 'the directory; the node makes it')
    .action((key: string, { to, ...options }: To) =>
      run('tenant.export', { tenant: key, to: resolve(to) }, options, terminal),
    );
}

function addMove(tenant: Command, terminal: Terminal): void {
  operatorVerb(
    tenant,
    'move',
    'move a tenant to another shard; meanwhile its callers get 403 (to another node: backup, restore, delete)',
    'skep tenant move -f platform.yaml acme:atlas:dev:main --shard 3',
  )
    .argument('<tenant>', KEY, tenantKey)
    .addOption(new Option('--shard <number>', 'the shard').argParser(shardNo).makeOptionMandatory())
    .action((key: string, { shard, ...options }: OperatorOptions & { shard: number }) =>
      run('tenant.move', { tenant: key, shard }, options, terminal),
    );
}

function addDelete(tenant: Command, terminal: Terminal): void {
  operatorVerb(
    tenant,
    'delete',
    'delete a tenant with all its rows and files for good; safe to run again after an interruption',
    'skep tenant delete -f platform.yaml acme:atlas:dev:main --confirm acme:atlas:dev:main',
  )
    .argument('<tenant>', KEY, tenantKey)
    .requiredOption('--confirm <tenant>', 'the name of the tenant once more')
    .action((key: string, { confirm, ...options }: OperatorOptions & { confirm: string }) =>
      run('tenant.delete', { tenant: key, confirm }, options, terminal),
    );
}

function addRepair(tenant: Command, terminal: Terminal): void {
  operatorVerb(
    tenant,
    'repair',
    'rebuild indexes, counts and file uses of a tenant that do not match its rows; it keeps serving',
    'skep tenant repair -f platform.yaml acme:atlas:dev:main',
  )
    .argument('<tenant>', KEY, tenantKey)
    .option('--drop-rows', 'remove unreadable rows; their bytes are kept in the tenant (skep storage dump)')
    .action((key: string, { dropRows, ...options }: OperatorOptions & { dropRows?: boolean }) =>
      run('tenant.repair', { tenant: key, dropRows: dropRows === true }, options, terminal),
    );
}

function shardNo(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a shard is a number: 0, 1, …');
}

async function run(verb: string, body: object, options: OperatorOptions, terminal: Terminal): Promise<void> {
  const platform = await platformOf(options.file, terminal);
  const onStep = (step: string): void => terminal.err(`${step}\n`);
  terminal.out(renderRecord((await askNode(platform, verb, body, onStep)) as Row, options.output));
}
