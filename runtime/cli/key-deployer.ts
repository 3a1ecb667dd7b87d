/** `skep key deployer`: a key that deploys to one product and does nothing else. Spec: docs/contract/platform.md §1.10. */
import type { Command } from 'commander';
import { DEPLOYER } from '#config/deployer-role.ts';
import { productKey, type ProductKey } from './deploy-options.ts';
import { days } from './key-issue.ts';
import { askNodeOften, operatorVerb, platformOf, type OperatorOptions } from './operator-verb.ts';
import { renderRecord, type Row } from './output.ts';
import type { Terminal } from './terminal.ts';

interface DeployerOptions extends OperatorOptions {
  readonly product: ProductKey;
  readonly days?: number;
}

export function addKeyDeployer(parent: Command, terminal: Terminal): void {
  operatorVerb(
    parent,
    'deployer',
    'make a key for skep deploy, shown once: it deploys to one product and does nothing else',
    'skep key deployer -f platform.yaml --product acme:desk:prod --days 90',
  )
    .requiredOption('--product <customer:product:env>', 'the product that it deploys to', productKey)
    .option('--days <number>', 'lifetime in days; by default a year', days)
    .action(async ({ file, product, days: life, output }: DeployerOptions) => {
      const platform = await platformOf(file, terminal);
      const tenant = `${product.customer}:${product.product}:${product.env}:superadmin`;
      const wish = { tenant, service: 'deploy', capabilities: { roles: [DEPLOYER] }, expires_in_days: life };
      const issued = await askNodeOften(platform, async (askVerb) => {
        await askVerb('data.bootstrap', { tenant, scope: null, person: null });
        return askVerb('key.issue', wish);
      });
      terminal.out(renderRecord(issued as Row, output));
    });
}
