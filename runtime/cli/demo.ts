/** `skep demo` (`npm start`): provisions the demo tenant when the store is new, serves, and prints what to try. */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { isLoopback, parseBind } from '#config/bind.ts';
import type { LinkedPeople } from '#runtime/console/login-links.ts';
import type { Platform } from '#config/platform.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { startNode, type Node } from '#runtime/node.ts';
import {
  commands,
  devPath,
  drawContentSecrets,
  drawOperator,
  drawSecret,
  readSecrets,
  setContentSecrets,
  writeDevFile,
} from '#runtime/demo/dev-file.ts';
import type { DemoSecrets } from '#runtime/demo/dev-file.ts';
import { loadDemoData } from '#runtime/demo/load.ts';
import { DEMO_TENANT } from '#runtime/demo/sample.ts';
import { ROOT } from '#runtime/place.ts';
import { Progress } from './progress.ts';
import { serve } from './serve.ts';
import type { Terminal } from './terminal.ts';

/** Runs the demo; resolves when it accepts requests. */
export async function demo(platform: Platform, terminal: Terminal): Promise<Node> {
  const dataDir = platform.storage.dir;
  const secrets = readSecrets(dataDir) ?? (await prepare(platform, terminal));
  const content = setContentSecrets(secrets.content);
  const { token = secrets.bootstrap_token } = platform.bootstrap;
  const node = await serve({ ...platform, bootstrap: { token } });
  await bringUp(node, terminal);
  const dev = writeDevFile(dataDir, node.listeners, { ...secrets, content });
  const link = await consoleLink(platform, node, secrets);
  terminal.out(
    `\nSkep listens on ${dev.gateway} (operations ${dev.operations}); settings and keys are in ${devPath(dataDir)}.\n`,
  );
  if (link !== null)
    terminal.out(`\nThe console is at ${dev.console}. This link logs you in once, within ten minutes:\n${link}\n`);
  for (const { title, command } of commands(dataDir, dev)) terminal.out(`\n# ${title}\n${command}\n`);
  terminal.out('\nCtrl-C stops it; acknowledged writes stay.\n');
  return node;
}

/**
 * A link that logs in the demo's operator and the administrator of its tenant, whose rows it opens; null where the console has no listener, or one that other machines reach (what is printed on a terminal is read by others, too). The password is in dev.json before its user is there, so that a crash between the two loses nothing.
 */
async function consoleLink(
  { listeners, console: { tenants } }: Platform,
  node: Node,
  { operator, admin }: DemoSecrets,
): Promise<string | null> {
  if (listeners.console === null || !isLoopback(parseBind(listeners.console)!.host)) return null;
  if (!existsSync(`${ROOT}console/package.json`)) return null;
  await node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...operator, roles: ['superadmin'] });
  // Files of earlier versions name no administrator.
  const rows: LinkedPeople = tenants && admin !== undefined ? { [DEMO_TENANT]: admin } : {};
  return node.consoleLink({ [CONTROL_PLANE]: operator, ...rows });
}

/** The demo's definitions of this version: its tenant serves the revision that it was provisioned with. */
async function bringUp(node: Node, terminal: Terminal): Promise<void> {
  try {
    await node.provision(DEMO_TENANT);
  } catch (error) {
    terminal.err(`${DEMO_TENANT} keeps serving its earlier definitions: ${(error as Error).message}\n`);
  }
}

/** A new store: the tenant, its data, its administrator and its keys. A run after a crash continues where the last one ended. */
async function prepare(platform: Platform, terminal: Terminal): Promise<DemoSecrets> {
  terminal.out(
    `A new store in ${platform.storage.dir}: provisioning ${DEMO_TENANT} and loading the world's cities (once).\n`,
  );
  const content = setContentSecrets(drawContentSecrets());
  const node = await startNode(platform, { doors: false });
  try {
    await node.provision(DEMO_TENANT);
    await loadWithBar(node, terminal);
    const secrets = { ...(await issueSecrets(node)), content, operator: drawOperator() };
    writeDevFile(platform.storage.dir, { gateway: '', operations: '' }, secrets);
    return secrets;
  } catch (error) {
    rmSync(devPath(platform.storage.dir), { force: true });
    throw error;
  } finally {
    await node.stop();
  }
}

async function loadWithBar(node: Node, terminal: Terminal): Promise<void> {
  let bar: Progress | null = null;
  await loadDemoData(node, {
    begin: (total) => (bar = new Progress(terminal, { label: 'loading', total, unit: 'rows' })),
    update: (done) => bar?.update(done),
  });
  bar!.finish();
}

async function issueSecrets(node: Node): Promise<Omit<DemoSecrets, 'content' | 'operator'>> {
  const [customer, product, env, tenant] = DEMO_TENANT.split(':') as [string, string, string, string];
  const issue = async (capabilities: object): Promise<string> => {
    const issued = await node.ask(DEMO_TENANT, 'identity', 'key.issue', { service: 'demo', capabilities });
    return (issued as { key: string }).key;
  };
  const admin = { login: 'admin@atlas.example', password: randomBytes(12).toString('base64url') };
  await node.ask(DEMO_TENANT, 'identity', 'user.ensure', { ...admin, roles: ['tenant_admin'] });
  return {
    api_key: await issue({ roles: ['tenant_user'] }),
    service_key: await issue({ scope: [`${customer}:${env}:${product}:${tenant}`] }),
    bootstrap_token: drawSecret(),
    admin,
  };
}
