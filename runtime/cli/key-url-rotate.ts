/** `skep key url rotate`: new keys for the signed URLs of a tenant's files. */
import type { Command } from 'commander';
import { askNode, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRows, type Row } from './output.ts';
import type { Terminal } from './terminal.ts';

interface RotateOptions extends OperatorOptions {
  readonly tenant: string;
  readonly end?: true;
}

export function addKeyUrlRotate(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'rotate',
    'sign URLs of files with new keys from now on; those that are out are valid until their own time',
    'skep key url rotate -f platform.yaml --tenant acme:desk:dev:main --end',
  )
    .addOption(tenantOption().makeOptionMandatory())
    .option('--end', 'URLs that are out end at once')
    .action(async ({ file, tenant, end, output }: RotateOptions) => {
      const platform = await platformOf(file, terminal);
      const rotated = (await askNode(platform, 'url_key.rotate', { tenant, ends: end === true })) as Row[];
      terminal.out(renderRows(rotated, output));
    });
}
