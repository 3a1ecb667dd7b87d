/** `skep version`: the version, the commit and what it runs on. Spec: docs/contract/intake.md §8. */
import type { Command } from 'commander';
import { commitOf, packageFile } from '#runtime/version.ts';
import { outputOption, renderRecord, type OutputFormat } from './output.ts';
import type { Terminal } from './terminal.ts';

const ADDON = 'uWebSockets.js';

/** Adds `version` to a command; every service has one. */
export function addVersion(parent: Command, terminal: Terminal): void {
  parent
    .command('version')
    .description('print the version, its commit and date, and the platform')
    .addOption(outputOption())
    .action((options: { output: OutputFormat }) => terminal.out(renderRecord(versionRecord(), options.output)));
}

function versionRecord(): Record<string, string> {
  const { version, dependencies, peerDependencies } = packageFile();
  return {
    skep: version,
    ...commitOf(),
    node: process.versions.node,
    v8: process.versions.v8,
    platform: `${process.platform}-${process.arch}`,
    lmdb: dependencies.lmdb ?? '',
    'uWebSockets.js': addonOf(dependencies[ADDON], peerDependencies?.[ADDON]),
  };
}

/** A clone installs the addon; a package names the version that fits, which may not be there. */
function addonOf(installed: string | undefined, fitting: string | undefined): string {
  return installed?.replace(/^npm:/, '') ?? `${fitting ?? ''} (optional)`;
}
