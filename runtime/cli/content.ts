/** `skep content`: serves, `config list|generate`, `data bootstrap`, and the delivery log of webhooks. Spec: docs/contract/content.md §9. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Option, type Command } from 'commander';
import { CONTENT_PROFILES, generateContent, type ContentProfile } from '#config/generate-content.ts';
import { addData } from './data.ts';
import { addServeAlone } from './node-verbs.ts';
import { shownVerb, type TenantOptions } from './operator-verb.ts';
import type { Row } from './output.ts';
import { CliError, contentTerminal, EXIT, type Terminal } from './terminal.ts';

const COLUMNS = ['id', 'app', 'hook', 'event', 'outcome', 'attempts', 'status', 'ended_at'];
const OUTCOMES = ['waiting', 'delivered', 'refused', 'failed', 'dropped'];

export function addContent(program: Command, asked: Terminal): void {
  const terminal = contentTerminal(asked);
  const content = program
    .command('content')
    .description('the content service: starter files and webhooks; with -f and no verb, serve only this service')
    .enablePositionalOptions();
  addServeAlone(content, 'content', terminal);
  addData(content, terminal);
  addConfig(content, terminal);
  addWebhook(content, terminal);
}

function addConfig(content: Command, terminal: Terminal): void {
  const config = content.command('config').description('starter files').enablePositionalOptions();
  config
    .command('list')
    .description('list the profiles of generate')
    .action(() => terminal.out(`${CONTENT_PROFILES.join('\n')}\n`));
  config
    .command('generate')
    .description('print a starter file, or write it as <dir>/<profile>.yaml')
    .addArgument(new Argument('<profile>', 'which file').choices(CONTENT_PROFILES))
    .option('-d, --dir <dir>', 'write into this directory instead; required for all')
    .addHelpText('after', '\nExample:\n  skep content config generate all -d ./profiles\n')
    .action((profile: ContentProfile | 'all', { dir }: { dir?: string }) => generate(profile, dir, terminal));
}

function generate(profile: ContentProfile | 'all', dir: string | undefined, terminal: Terminal): void {
  if (dir === undefined && profile === 'all')
    throw new CliError('skep: "all" writes several files\n    name their directory: -d <dir>\n', EXIT.usage);
  const wanted = profile === 'all' ? CONTENT_PROFILES.filter((name) => name !== 'all') : [profile];
  for (const name of wanted) {
    if (dir === undefined) terminal.out(generateContent(name));
    else {
      mkdirSync(dir, { recursive: true });
      const path = join(dir, `${name}.yaml`);
      writeFileSync(path, generateContent(name), { mode: 0o600 }); // it holds a bootstrap token
      terminal.out(`${path}\n`);
    }
  }
}

function addWebhook(content: Command, terminal: Terminal): void {
  const webhook = content.command('webhook').description('deliveries of webhooks').enablePositionalOptions();
  shownVerb(webhook, terminal, {
    name: 'list',
    what: 'list deliveries, waiting and ended, newest first',
    example: 'skep content webhook list -f platform.yaml --tenant acme:atlas:dev:main --outcome failed',
    ofTenant: true,
    columns: COLUMNS,
    show: async (ask, { tenant, outcome }: TenantOptions & { outcome?: string }) =>
      ((await ask('webhook.list', { tenant, outcome })) as { deliveries: Row[] }).deliveries,
  }).addOption(new Option('--outcome <outcome>', 'only these').choices(OUTCOMES));
  shownVerb(webhook, terminal, {
    name: 'redeliver',
    what: 'deliver again: one delivery by its id, or all that failed',
    example: 'skep content webhook redeliver -f platform.yaml --tenant acme:atlas:dev:main --id 01J…',
    ofTenant: true,
    show: async (ask, { tenant, id }: TenantOptions & { id?: string }) => [
      await ask('webhook.redeliver', { tenant, id: id ?? null }),
    ],
  }).option('--id <id>', 'the delivery');
}
