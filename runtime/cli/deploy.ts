/** `skep deploy`: a product from a folder to the tenants of a running node, as a reviewed plan. Spec: docs/contract/platform.md §1.10. */
import { InvalidArgumentError, type Command } from 'commander';
import { productKey, type DeployOptions } from './deploy-options.ts';
import { guarded } from './operator-verb.ts';
import type { Terminal } from './terminal.ts';

export function addDeploy(program: Command, terminal: Terminal): void {
  program
    .command('deploy')
    .description('bring a product from a folder to the tenants of a running node: shows the plan, asks, applies it')
    .argument('[folder]', 'the folder of product.yaml', '.')
    .requiredOption('--to <url>', 'the gateway of the node', urlOf)
    .requiredOption('--product <customer:product:env>', 'where it is deployed: every tenant of it', productKey)
    .option(
      '--key-file <file>',
      'a file that holds the key; without it SKEP_DEPLOY_KEY does (skep key deployer makes one)',
    )
    .option('--tenant <name...>', 'only these tenants')
    .option('--yes', 'ask nothing: take the safe steps, and those of --allow')
    .option('--allow <step...>', 'steps to take although they lose or rewrite rows, as the plan names them')
    .option('--rollback', 'back to the revision that each tenant served before; no folder is read')
    .addHelpText('after', HELP)
    .action(async (folder: string, options: DeployOptions) => {
      const { deployFolder } = await import('./deploy-folder.ts');
      await guarded(() => deployFolder(folder, options, terminal));
    });
}

function urlOf(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('write the URL of the gateway, for example https://api.example.org');
}

const HELP = `
A step that loses or rewrites rows is taken only where it is allowed by its name, in the answer to a question or with --allow. A field or an
entity that is not declared any more stays stored unless its drop is allowed. While a step is not allowed, nothing is applied to any tenant.
Exit code 1: refused, or a tenant does not have the revision; its name is printed.

Examples:
  skep key deployer -f platform.yaml --product acme:desk:prod
  SKEP_DEPLOY_KEY=… skep deploy product --to https://api.example.org --product acme:desk:prod
  skep deploy product --to https://api.example.org --product acme:desk:prod --yes --allow drop_column:ticket.note
  skep deploy --rollback --to https://api.example.org --product acme:desk:prod
`;
