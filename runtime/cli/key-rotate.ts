/** `skep key rotate <id> --grace <duration>`: a new key replaces an old one, which stays valid for the grace period. */
import type { Command } from 'commander';
import { askNode, durationOf, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, type Row } from './output.ts';
import type { Terminal } from './terminal.ts';

export function addKeyRotate(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'rotate',
    'make a new key with the same capabilities, shown once; the old one expires after the grace period',
    'skep key rotate 01JABCDEFGHJKMNPQRSTVWXYZ0 --grace 24h -f platform.yaml --tenant acme:atlas:dev:main',
  )
    .argument('<id>', 'the id of the key to replace')
    .requiredOption('--grace <duration>', 'how long the old key stays valid (24h, 90m, 0)', durationOf)
    .addOption(tenantOption().makeOptionMandatory())
    .action(async (id: string, options: OperatorOptions & { tenant: string; grace: number }) => {
      const platform = await platformOf(options.file, terminal);
      const body = { tenant: options.tenant, id, grace_ms: options.grace };
      terminal.out(renderRecord((await askNode(platform, 'key.rotate', body)) as Row, options.output));
    });
}
