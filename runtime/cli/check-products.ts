/** `skep check -f <file>`: checks the platform file and its tenants' checkouts without a node. Exit code 2 when there is a problem. */
import { join } from 'node:path';
import { missingLinks } from '#actors/identity/account/missing-links.ts';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { Platform } from '#config/platform.ts';
import { renderProblems } from '#config/problem.ts';
import { contentSourceOf } from '#config/resolve-content.ts';
import { everyFault, renderFaults } from '#runtime/product-faults.ts';
import { webFaults } from '#runtime/web/web-faults.ts';
import type { Row } from './output.ts';
import { CliError, EXIT } from './terminal.ts';

/** Checks each checkout once, however many tenants share it. Ends the verb with every problem. */
export async function checkProducts(platform: Platform): Promise<Row> {
  const nodes = platform.hives.tenant;
  const checkouts = new Set(nodes.flatMap(({ meta: { localdir } }) => (localdir === undefined ? [] : [localdir])));
  const found = [...checkouts].map((localdir) => everyProblemOf(platform, localdir));
  const faults = (await Promise.all(found)).join('');
  if (faults !== '') throw new CliError(faults, EXIT.usage);
  const running = [...checkouts].flatMap((localdir) => runningAs(platform, localdir));
  const counts = { tenants: nodes.length, checkouts: checkouts.size, problems: 0 };
  return running.length === 0 ? counts : { ...counts, run_as: running };
}

/** All that `skep check` says of a checkout; '' where it says nothing. */
export async function everyProblemOf(platform: Platform, localdir: string): Promise<string> {
  return (await faultsOf(platform, localdir)) + mailFaults(platform, localdir);
}

/** The problems of a checkout as text; '' where it can be served. */
export async function faultsOf(platform: Platform, localdir: string, faultsIn = everyFault): Promise<string> {
  const loaded = loadProduct(localdir, { content: contentSourceOf(platform) });
  const web = webFaults(localdir);
  if ('problems' in loaded) return renderProblems(loaded.problems) + web;
  return renderFaults(await faultsIn(loaded.product)) + web;
}

/** What the accounts of a checkout miss in the platform file. It hinders no provisioning: the rest of the product is served. */
function mailFaults(platform: Platform, localdir: string): string {
  const loaded = loadProduct(localdir, { content: contentSourceOf(platform) });
  if ('problems' in loaded) return '';
  const missing = missingLinks(platform.identity.mail?.links, loaded.product.settings.accounts);
  return missing.map((line) => `${join(localdir, 'product.yaml')}: ${line}\n`).join('');
}

/** What of a checkout acts with the rights of a role, whichever caller causes it: one line each, for the person who reviews it. */
function runningAs(platform: Platform, localdir: string): string[] {
  const loaded = loadProduct(localdir, { content: contentSourceOf(platform) });
  if ('problems' in loaded) return [];
  const { endpoints = [], stateflows = [] } = loaded.product;
  return [
    ...endpoints.flatMap(({ verb, path, auth, runAs, where }) =>
      runAs === undefined ? [] : [`${where}: ${verb} /data/x/${path} (auth: ${auth}) runs as ${runAs}`],
    ),
    ...stateflows.flatMap(({ name, run_as: role, where }) =>
      role === undefined ? [] : [`${where}: scripts of the stateflow ${name} run as ${role}`],
    ),
  ];
}
