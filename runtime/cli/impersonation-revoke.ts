/** `skep impersonation revoke`: ends a grant. */
import type { Command } from 'commander';
import { askNode, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { renderRecord } from './output.ts';
import { CliError, type Terminal } from './terminal.ts';

interface RevokeOptions extends OperatorOptions {
  readonly tenant: string;
  readonly operator: string;
}

export function addImpersonationRevoke(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'revoke',
    'end a grant; active impersonations end within a quarter of an hour, or with their session',
    'skep impersonation revoke -f platform.yaml --tenant acme:atlas:dev:main --operator ann@example.org',
  )
    .addOption(tenantOption().makeOptionMandatory())
    .requiredOption('--operator <who>', 'the operator as named in the grant, or the id from the list')
    .action(async ({ file, tenant, operator, output }: RevokeOptions) => {
      const platform = await platformOf(file, terminal);
      const { revoked } = (await askNode(platform, 'impersonation.revoke', { operator, tenant })) as {
        revoked: boolean;
      };
      if (!revoked)
        throw new CliError(
          `skep: ${operator} has no grant in ${tenant}\n    skep impersonation list -f ${file} shows them\n`,
        );
      terminal.out(renderRecord({ operator, tenant, revoked }, output));
    });
}
