/** `skep agent …`: the agent that issues identities to the workloads of a machine. Spec: docs/contract/vault-pki.md §7. */
import type { Command } from 'commander';
import { AGENT_DEFAULTS } from '#runtime/agent/settings.ts';
import type { InitOptions, InstallOptions, ReportOptions, RunOptions, UninstallOptions } from './agent-options.ts';
import { UNIT_DIR } from './service-options.ts';
import { outputOption } from './output.ts';
import type { Terminal } from './terminal.ts';

/** Fills the `agent` group. */
export function fillAgent(agent: Command, terminal: Terminal): void {
  addInstall(agent, terminal);
  placed(agent, 'init', 'join a vault with a join token')
    .option('--vault <url>', 'the vault', AGENT_DEFAULTS.vault)
    .option('--ca <file>', 'PEM file of the issuer of its certificate')
    .option('--token <token>', 'the join token (SKEP_JOIN_TOKEN); - reads it from standard input')
    .option('--datacenter <name>', 'the datacenter', AGENT_DEFAULTS.datacenter)
    .option('--cluster <name>', 'the cluster', AGENT_DEFAULTS.cluster)
    .option('--name <name>', 'the name of this node; by default the host name')
    .addHelpText(
      'after',
      '\nExample:\n  SKEP_JOIN_TOKEN=hj_v1_… skep agent init --vault https://vault:7999 --ca ca.pem\n',
    )
    .action(async (options: InitOptions) => (await import('./agent-init.ts')).agentInit(options, terminal));
  placed(agent, 'run', 'serve the Workload API on the socket until a signal')
    .option('--metrics <host:port>', 'address of the metrics', AGENT_DEFAULTS.metrics)
    .option('-l, --level <level>', 'log level', 'info')
    .action(async (options: RunOptions) => (await import('./agent-run.ts')).agentRun(options));
  placed(agent, 'status', 'print the state of this node and its agent; exit 1 when not healthy')
    .addOption(outputOption())
    .action(async (options: ReportOptions) => (await import('./agent-report.ts')).agentStatus(options, terminal));
  placed(agent, 'doctor', 'check everything that an agent needs; exit 1 when something is wrong')
    .addOption(outputOption())
    .action(async (options: ReportOptions) => (await import('./agent-report.ts')).agentDoctor(options, terminal));
}

function addInstall(agent: Command, terminal: Terminal): void {
  const load = () => import('./agent-install.ts');
  placed(agent, 'install', 'write the systemd unit')
    .option('--metrics <host:port>', 'address of the metrics', AGENT_DEFAULTS.metrics)
    .option('--unit-dir <dir>', 'directory of systemd units', UNIT_DIR)
    .option('--print', 'print the unit instead of writing it')
    .action(async (options: InstallOptions) => (await load()).agentInstall(options, terminal));
  placed(agent, 'upgrade', 'convert state and unit to this version')
    .option('--metrics <host:port>', 'address of the metrics', AGENT_DEFAULTS.metrics)
    .option('--unit-dir <dir>', 'directory of systemd units', UNIT_DIR)
    .action(async (options: InstallOptions) => (await load()).agentUpgrade(options, terminal));
  placed(agent, 'uninstall', 'decommission this node at the vault, then remove unit and state')
    .option('--unit-dir <dir>', 'directory of systemd units', UNIT_DIR)
    .option('--force', 'continue when the vault does not answer')
    .action(async (options: UninstallOptions) => (await load()).agentUninstall(options, terminal));
}

function placed(agent: Command, name: string, description: string): Command {
  return agent
    .command(name)
    .description(description)
    .option('--dir <dir>', 'the directory of its identity', AGENT_DEFAULTS.dir)
    .option('--socket <path>', 'the Unix socket', AGENT_DEFAULTS.socket);
}
