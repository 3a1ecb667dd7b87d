/** `skep debug bundle`: what others need to help with a node, in one file. Spec: docs/contract/platform.md §1.7. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { durationOf, guarded } from './operator-verb.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

interface BundleOptions {
  readonly file: string;
  readonly to: string;
  readonly profile?: number;
}

/** Adds the `debug` group. */
export function addDebug(program: Command, terminal: Terminal): void {
  program
    .command('debug')
    .description('gather what others need to help with a node')
    .enablePositionalOptions()
    .command('bundle')
    .description(
      'write version, findings of the doctor, masked configuration, metrics, threads, sizes and machine into one file (mode 0600)',
    )
    .requiredOption('-f, --file <file>', 'the platform file')
    .requiredOption('--to <file>', 'where to write it, for example skep-debug.tar.gz; no file may be there')
    .option(
      '--profile <duration>',
      'also profile all threads for so long (at most 60s): it slows them a little',
      durationOf,
    )
    .addHelpText('after', NOTE)
    .action((options: BundleOptions) => guarded(() => bundle(options, terminal)));
}

const NOTE = `
It holds no secret, row or mail address, but names of tenants, paths and load: look into it before you send it (tar -xzf).
Run it as the user of the node. What cannot be gathered says why in its place, so it works beside a stopped node too.

Example:
  skep debug bundle -f platform.yaml --to skep-debug.tar.gz --profile 10s
`;

async function bundle({ file, to, profile }: BundleOptions, terminal: Terminal): Promise<void> {
  const [{ bundleOf }, { writePrivate }, { limits }, { loadOrExplain }] = await Promise.all([
    import('#runtime/debug/bundle.ts'),
    import('#runtime/debug/private-file.ts'),
    import('#config/limits.ts'),
    import('./config-show.ts'),
  ]);
  const { profileMsMax } = limits.debug;
  if (profile !== undefined && (profile === 0 || profile > profileMsMax))
    throw new CliError(`skep: --profile takes up to ${profileMsMax / 1000}s\n    write for example 10s\n`, EXIT.usage);
  if (existsSync(to)) throw new CliError(`skep: ${to} is there already\n    name another file\n`, EXIT.usage);
  const platform = loadOrExplain(file, { env: terminal.env }); // as the node reads it: no flag of a verb is laid over it
  writePrivate(to, await bundleOf({ platform, profileMs: profile ?? null, nowMs: Date.now() }));
  terminal.out(`${to}\n`);
}
