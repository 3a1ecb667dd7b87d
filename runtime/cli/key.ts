/** `skep key issue|deployer|list|show|rotate|revoke`, `skep key ring list|rotate` and `skep key url rotate`: the operator's verbs on keys. Spec: docs/contract/identity.md §10.5. */
import { InvalidArgumentError, type Command } from 'commander';
import { DEPLOYER } from '#config/deployer-role.ts';
import { productKey, type ProductKey } from './deploy-options.ts';
import { askNodeOften, durationOf, operatorVerb, platformOf, shownVerb } from './operator-verb.ts';
import type { OperatorOptions, TenantOptions } from './operator-verb.ts';
import { renderRecord, type Row } from './output.ts';
import { roleOption } from './role-option.ts';
import type { Terminal } from './terminal.ts';

const COLUMNS = ['id', 'service', 'state', 'roles', 'scope', 'expires_at', 'last_used_at'];

export function addKey(program: Command, terminal: Terminal): void {
  const key = program
    .command('key')
    .description('API keys of a tenant, and the keys that sign tokens and URLs')
    .enablePositionalOptions();
  addIssue(key, terminal);
  addDeployer(key, terminal);
  shownVerb(key, terminal, {
    name: 'list',
    what: "list a tenant's API keys, oldest first, with their last use; never a secret",
    example: 'skep key list -f platform.yaml --tenant acme:atlas:dev:main',
    ofTenant: true,
    columns: COLUMNS,
    show: (ask, { tenant }: TenantOptions) => ask('key.list', { tenant }),
  });
  addOne(key, terminal);
  addRings(key, terminal);
}

interface IssueOptions extends TenantOptions {
  readonly role?: readonly string[];
  readonly scope?: readonly string[];
  readonly superadmin?: true;
  readonly service?: string;
  readonly days?: number;
}

function addIssue(key: Command, terminal: Terminal): void {
  shownVerb(key, terminal, {
    name: 'issue',
    what: 'make an API key, shown once; it may have any role and scope, and be a superadmin',
    example:
      'skep key issue -f platform.yaml --tenant acme:atlas:dev:main --service ci --scope acme:dev:atlas:main --days 30',
    ofTenant: true,
    show: (ask, { tenant, role, scope, superadmin, service, days: life }: IssueOptions) => {
      const capabilities = { roles: role, scope, is_superadmin: superadmin };
      return ask('key.issue', { tenant, service, capabilities, expires_in_days: life });
    },
  })
    .addOption(roleOption('roles of the key'))
    .option('--scope <grant...>', 'grants customer:env:product:tenant, * as wildcard; they make it a service key')
    .option('--superadmin', 'make the key a superadmin of its tenant or plane')
    .option('--service <tag>', 'what the key is for')
    .option('--days <number>', 'lifetime in days; by default a year', days);
}

interface DeployerOptions extends OperatorOptions {
  readonly product: ProductKey;
  readonly days?: number;
}

/** A key that deploys to one product and does nothing else. Spec: docs/contract/platform.md §1.10. */
function addDeployer(key: Command, terminal: Terminal): void {
  operatorVerb(
    key,
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
      const issued = await askNodeOften(platform, async (ask) => {
        await ask('data.bootstrap', { tenant, scope: null, person: null });
        return ask('key.issue', wish);
      });
      terminal.out(renderRecord(issued as Row, output));
    });
}

/** Verbs on one key. */
function addOne(key: Command, terminal: Terminal): void {
  const example = (verb: string, more = ''): string =>
    `skep key ${verb} 01JABCDEFGHJKMNPQRSTVWXYZ0${more} -f platform.yaml --tenant acme:atlas:dev:main`;
  shownVerb(key, terminal, {
    name: 'show',
    what: 'show an API key and its last use; never its secret',
    example: example('show'),
    ofTenant: true,
    show: (ask, { tenant }: TenantOptions, id) => ask('key.show', { tenant, id }),
  }).argument('<id>', 'the key id');
  shownVerb(key, terminal, {
    name: 'rotate',
    what: 'make a new key with the same capabilities, shown once; the old one expires after the grace period',
    example: example('rotate', ' --grace 24h'),
    ofTenant: true,
    show: (ask, { tenant, grace }: TenantOptions & { grace: number }, id) =>
      ask('key.rotate', { tenant, id, grace_ms: grace }),
  })
    .argument('<id>', 'the id of the key to replace')
    .requiredOption('--grace <duration>', 'how long the old key stays valid (24h, 90m, 0)', durationOf);
  shownVerb(key, terminal, {
    name: 'revoke',
    what: 'end an API key at once; service tokens issued for it stay valid for up to 15 minutes',
    example: example('revoke'),
    ofTenant: true,
    show: (ask, { tenant }: TenantOptions, id) => ask('key.revoke', { tenant, id }),
  }).argument('<id>', 'the key id');
}

function addRings(key: Command, terminal: Terminal): void {
  const ring = key.command('ring').description('the keys that sign tokens').enablePositionalOptions();
  shownVerb(ring, terminal, {
    name: 'list',
    what: 'list the keys that sign and verify tokens, newest first, and until when; never a private key',
    example: 'skep key ring list -f platform.yaml',
    show: (ask) => ask('ring.list', null),
  });
  shownVerb(ring, terminal, {
    name: 'rotate',
    what: 'sign with a new key from now on; old keys verify until their last token has expired',
    example: 'skep key ring rotate -f platform.yaml',
    show: (ask) => ask('ring.rotate', null),
  });
  const url = key.command('url').description('the keys that sign URLs of files').enablePositionalOptions();
  shownVerb(url, terminal, {
    name: 'rotate',
    what: 'sign URLs of files with new keys from now on; those that are out are valid until their own time',
    example: 'skep key url rotate -f platform.yaml --tenant acme:desk:dev:main --end',
    ofTenant: true,
    show: (ask, { tenant, end }: TenantOptions & { end?: true }) =>
      ask('url_key.rotate', { tenant, ends: end === true }),
  }).option('--end', 'URLs that are out end at once');
}

/** A number of days of a command line. */
function days(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('write a number of days from 1, for example 30');
}
