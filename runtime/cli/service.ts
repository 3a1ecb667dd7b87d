/** `skep service …`: the node as a service of systemd. */
import type { Command } from 'commander';
import { UNIT_DIR, type ServiceInstallOptions, type ServiceUninstallOptions } from './service-options.ts';
import type { Terminal } from './terminal.ts';

const EXAMPLES = `
Example:
  useradd --system --home-dir /var/lib/skep skep && install -d -o skep -g skep -m 700 /var/lib/skep
  skep service install -f /etc/skep/platform.yaml --credential BOOTSTRAP_TOKEN:/etc/skep/bootstrap-token
  systemctl daemon-reload && systemctl enable --now skep
`;

/** Fills the `service` group. */
export function fillService(service: Command, terminal: Terminal): void {
  const load = () => import('./service-install.ts');
  service
    .command('install')
    .description('write the systemd unit of a node')
    .requiredOption('-f, --file <file>', 'the platform file to serve')
    .option('--user <name>', 'the user it runs as; it has to own the data directory', 'skep')
    .option(
      '--credential <name:path>',
      'a secret that the platform file reads as ${name}: systemd reads the file as root (repeatable)',
      (value: string, all: readonly string[]) => [...all, value],
      [] as readonly string[],
    )
    .option('--unit-dir <dir>', 'directory of systemd units', UNIT_DIR)
    .option('--print', 'print the unit instead of writing it')
    .addHelpText('after', EXAMPLES)
    .action(async (options: ServiceInstallOptions) => (await load()).serviceInstall(options, terminal));
  service
    .command('uninstall')
    .description('remove the unit; the data directory and the platform file stay')
    .option('--unit-dir <dir>', 'directory of systemd units', UNIT_DIR)
    .action(async (options: ServiceUninstallOptions) => (await load()).serviceUninstall(options, terminal));
}
