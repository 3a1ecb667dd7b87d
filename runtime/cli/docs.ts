/** `skep docs`: the documentation of this version, served on loopback; nothing is fetched from elsewhere. */
import { InvalidArgumentError, type Command } from 'commander';
import { skepVersion } from '#runtime/version.ts';
import { CliError, type Terminal } from './terminal.ts';

const PORT_MAX = 65_535;

export function addDocs(program: Command, terminal: Terminal): void {
  program
    .command('docs')
    .description('serve the documentation of this version on 127.0.0.1, for a browser on this machine')
    .option('--port <number>', 'the port; by default a free one', portOf, 0)
    .addHelpText('after', '\nCtrl-C stops it. Nothing is fetched from elsewhere, so it works offline.\n')
    .action((options: { port: number }) => docs(options.port, terminal));
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > PORT_MAX) throw new InvalidArgumentError(`a port is a number up to ${PORT_MAX}`);
  return port;
}

async function docs(port: number, terminal: Terminal): Promise<void> {
  const [{ SITE, siteOf }, { serveSite }] = await Promise.all([
    import('#runtime/site/site-files.ts'),
    import('#runtime/site/serve-site.ts'),
  ]);
  const files = siteOf();
  if (files.size === 0)
    throw new CliError(
      `skep: the documentation is not built: there is no ${SITE}\n    in a clone, npm run build:site builds it; the sources are in docs/\n`,
    );
  const site = await serveSite(files, port).catch((error: Error) => {
    throw new CliError(`skep: ${error.message}\n    name another port, or leave --port out for a free one\n`);
  });
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  terminal.out(`The documentation of skep ${skepVersion()}: ${site.url}\nCtrl-C stops it.\n`);
  await stopped;
  await site.close();
}
