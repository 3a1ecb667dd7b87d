/** The work of `skep dev`: one process that serves the node, and looks at the files that it serves. */
import { randomBytes } from 'node:crypto';
import { relative, resolve } from 'node:path';
import { loadPlatform, type LoadOptions } from '#config/load.ts';
import type { Platform } from '#config/platform.ts';
import { renderProblems } from '#config/problem.ts';
import { contentSourceOf } from '#config/resolve-content.ts';
import { limits } from '#config/limits.ts';
import { Serial } from '#actors/kit/serial.ts';
import { checkoutRoots } from '#runtime/checkout-files.ts';
import { bringUp, type BringUpPorts, type DevProduct } from '#runtime/dev/bring-up.ts';
import type { LinkedPerson } from '#runtime/console/login-links.ts';
import { consoleLink } from '#runtime/dev/console-link.ts';
import { watchFiles } from '#runtime/dev/file-watch.ts';
import { formsAgain } from '#runtime/dev/forms-again.ts';
import type { Node } from '#runtime/node.ts';
import { everyProblemOf } from './check-products.ts';
import { loadOrExplain } from './config-show.ts';
import type { DevOptions } from './dev-options.ts';
import { serve } from './serve.ts';
import type { Terminal } from './terminal.ts';

const PASSWORD_BYTES = 18;

/** Serves, brings every product up, and watches; resolves when it watches. The signals of `serve` end the process. */
export async function develop(options: DevOptions, terminal: Terminal): Promise<void> {
  const { file } = options;
  const load = loadOptions(options, terminal);
  const platform = loadOrExplain(file, load);
  const node = await serve(platform, { tellsAbsent: false });
  const say = sayUntilEnd(terminal);
  const products = productsOf(platform);
  const made: Record<string, LinkedPerson> = {};
  const ports = portsOf(platform, node, options, { say, made });
  const { gateway = '', operations = '' } = node.listeners;
  say(`\nSkep listens on ${gateway}${operations === '' ? '' : ` (operations ${operations})`}.\n`);
  // The files are looked at from before the first check on, so that no save of meanwhile is missed.
  const work = new Serial();
  watch(platform, products, { file, load, node, ports, say, work });
  await work.run(async () => {
    for (const product of products) await bringUp(product, ports);
  });
  const link = await consoleLink(platform, node, made);
  if (link !== null) say(`\nThis link logs you in at the console once, within ten minutes:\n${link}\n`);
  say(
    `\nWatching ${shownPaths([...products.map(({ localdir }) => localdir), platform.intake.forms.dir, file])}. Save a file, and it is checked and applied. Ctrl-C ends it.\n`,
  );
}

/** The forms of the node are read again when they change, whatever the file says. */
function loadOptions({ level, set }: DevOptions, terminal: Terminal): LoadOptions {
  return {
    env: terminal.env,
    flags: { 'log.level': level, 'intake.logging.level': level, ...set, 'intake.forms.reload': 'sighup' },
  };
}

/** Once a signal ends the process, what its work still meets is no news. */
function sayUntilEnd(terminal: Terminal): (text: string) => void {
  let isEnding = false;
  const here = `${process.cwd()}/`;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (isEnding = true));
  return (text) => {
    if (!isEnding) terminal.out(text.replaceAll(here, ''));
  };
}

/** The checkouts of the file, each once with its tenants. A product from a URL has no files here. */
function productsOf({ hives }: Platform): DevProduct[] {
  const byDir = new Map<string, string[]>();
  for (const { key, meta } of hives.tenant)
    if (meta.localdir !== undefined) byDir.set(meta.localdir, [...(byDir.get(meta.localdir) ?? []), key]);
  return [...byDir].map(([localdir, tenants]) => ({ localdir, tenants }));
}

function portsOf(
  platform: Platform,
  node: Node,
  { file, email }: DevOptions,
  { say, made }: { readonly say: (text: string) => void; readonly made: Record<string, LinkedPerson> },
): BringUpPorts {
  return {
    file,
    check: (localdir) => everyProblemOf(platform, localdir),
    isActive: (tenant) => node.tenants().some(({ position, state }) => position.key === tenant && state === 'active'),
    provision: async (tenant) => {
      const password = randomBytes(PASSWORD_BYTES).toString('base64url');
      const { admin } = await node.provision(tenant, { admin: { email, password } });
      if (admin === 'seeded') made[tenant] = { login: email, password };
      const login = admin === 'seeded' ? `, administrator ${email}, password ${password} (shown once)` : '';
      return `made${login}\n`;
    },
    admin: (request) => node.admin(request),
    say,
  };
}

interface Watched {
  readonly file: string;
  readonly load: LoadOptions;
  readonly node: Node;
  readonly ports: BringUpPorts;
  readonly say: (text: string) => void;
  /** One thing at a time. */
  readonly work: Serial;
}

function watch(platform: Platform, products: readonly DevProduct[], watched: Watched): void {
  const { file, load, node, ports, say, work } = watched;
  const content = contentSourceOf(platform);
  for (const product of products)
    watchFiles(checkoutRoots(product.localdir, content), (paths) =>
      work.run(async () => {
        say(`\nchanged: ${shownPaths(paths)}\n`);
        await bringUp(product, ports);
      }),
    );
  watchFiles([platform.intake.forms.dir], async () => {
    const told = formsAgain(platform.intake.forms.dir, () => node.rotate());
    say(`\n${await told.catch((error: unknown) => `forms: ${(error as Error).message}\n`)}`);
  });
  watchFiles([resolve(file)], async () => {
    const loaded = loadPlatform(file, load);
    const what = 'problems' in loaded ? renderProblems(loaded.problems) : `changed: ${file}\n`;
    say(
      `\n${what}The node goes on with the platform file that it began with: end it with Ctrl-C and start it again to use the new one.\n`,
    );
    return Promise.resolve();
  });
}

/** Some paths, from here where they lie below; how many more there are. */
function shownPaths(paths: readonly string[]): string {
  const { namedFilesMax } = limits.develop;
  const shown = paths.slice(0, namedFilesMax).map((path) => relative('', path) || '.');
  return shown.join(', ') + (paths.length > namedFilesMax ? ` and ${paths.length - namedFilesMax} more` : '');
}
