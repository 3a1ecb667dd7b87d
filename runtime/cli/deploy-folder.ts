/** The work of `skep deploy`. */
import { readFileSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { gzipSync } from 'node:zlib';
import { limits } from '#config/limits.ts';
import { archiveCheckout, checkoutRoots } from '#runtime/checkout-files.ts';
import { DeployClient, DeployRefused } from '#runtime/deploy/client.ts';
import { deploy, DeployStopped } from '#runtime/deploy/deploy.ts';
import { short } from '#runtime/deploy/review.ts';
import { snapshotOf } from '#runtime/dev/file-watch.ts';
import type { DeployOptions } from './deploy-options.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

/** Sends the folder, plans, asks and applies. Ends the verb with code 1 where a tenant does not have the revision. */
export async function deployFolder(folder: string, options: DeployOptions, terminal: Terminal): Promise<void> {
  const { to, product, yes, rollback, allow = [] } = options;
  if (yes !== true && !process.stdin.isTTY)
    throw new CliError(
      'skep: there is no terminal to ask at\n    add --yes, and --allow for steps that are not safe\n',
      EXIT.usage,
    );
  const archive = rollback === true ? null : archiveOf(folder);
  const client = new DeployClient({ ...product, to, key: keyOf(options, terminal) });
  try {
    const tenants = await tenantsOf(client, options);
    const revision = archive === null ? null : await sent(client, archive, terminal);
    await deploy(tenants, allow, {
      plan: (tenant, drops) => client.plan(tenant, revision, drops),
      apply: (tenant, plan, risk) => client.apply(tenant, plan, risk),
      ask: yes === true ? null : ask,
      say: (text) => terminal.out(text),
    });
  } catch (error) {
    if (error instanceof DeployStopped) throw new CliError(`skep: ${error.message}\n`);
    if (error instanceof DeployRefused) throw new CliError(`skep: ${error.message} (${error.code})\n`);
    throw error;
  }
}

async function sent(client: DeployClient, archive: Buffer, terminal: Terminal): Promise<string> {
  const { revision, name, files } = await client.send(archive);
  terminal.out(`sent ${files} files of ${name}: revision ${short(revision)}\n`);
  return revision;
}

function keyOf({ keyFile }: DeployOptions, { env }: Terminal): string {
  const key = keyFile === undefined ? env['SKEP_DEPLOY_KEY'] : readFileSync(keyFile, 'utf8').trim();
  if (key !== undefined && key !== '') return key;
  const mend = 'set SKEP_DEPLOY_KEY, or name a file with --key-file; skep key deployer makes a key';
  throw new CliError(`skep: no key to deploy with\n    ${mend}\n`, EXIT.usage);
}

/** The active tenants, or those that are named. */
async function tenantsOf(client: DeployClient, { tenant: named }: DeployOptions): Promise<readonly string[]> {
  const there = await client.tenants();
  const active = there.filter(({ state }) => state === 'active').map(({ tenant }) => tenant);
  const missing = (named ?? []).filter((name) => !active.includes(name));
  if (missing.length > 0)
    throw new DeployStopped(`no active tenant ${missing.join(', ')}: there are ${active.join(', ') || 'none'}`);
  if (active.length === 0)
    throw new DeployStopped('the product has no active tenant on this node: provision one first');
  return named ?? active;
}

/** The folder's definitions, gzipped. Throws CliError where it is no product, too large, or has a link that leads out of it. */
function archiveOf(folder: string): Buffer {
  const content = { type: 'meta' } as const;
  const files = [...snapshotOf(checkoutRoots(folder, content)).keys()];
  if (!files.includes(join(folder, 'product.yaml')))
    throw new CliError(`skep: ${folder} has no product.yaml\n    name the folder that holds it\n`, EXIT.usage);
  const root = realpathSync(folder);
  const outside = files.find((file) => !realpathSync(file).startsWith(root + sep));
  if (outside !== undefined)
    throw new CliError(
      `skep: ${outside} is a link that leads out of the folder\n    put the file itself there\n`,
      EXIT.usage,
    );
  const archive = gzipSync(archiveCheckout(folder, content));
  const { archiveBytesMax } = limits.product;
  if (archive.length > archiveBytesMax)
    throw new CliError(
      `skep: ${folder} has more than ${archiveBytesMax} bytes when it is packed\n    remove what is no definition\n`,
      EXIT.usage,
    );
  return archive;
}

/** A question at the terminal; everything but `y` and `yes` is no. */
async function ask(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
