/** `skep agent install`, `upgrade` and `uninstall`: the systemd unit, the state, and leaving. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeDirectory } from '#storage/directory.ts';
import { AgentFiles, STATE_VERSION } from '#runtime/agent/identity-file.ts';
import { badgeOf } from '#runtime/agent/papers.ts';
import { callsOf } from '#runtime/agent/run-agent.ts';
import { unitText } from '#runtime/agent/unit-file.ts';
import { ROOT } from '../place.ts';
import { VaultAway, VaultRefused } from '#runtime/agent/vault-calls.ts';
import type { InstallOptions, UninstallOptions } from './agent-options.ts';
import { CliError, type Terminal } from './terminal.ts';

const UNIT = 'skep-agent.service';
const launcher = `${ROOT}runtime/cli/skep`;

const unitOf = ({ dir, socket, metrics }: InstallOptions): string =>
  unitText({ command: launcher, dir: resolve(dir), socket: resolve(socket), metrics });

export function agentInstall(options: InstallOptions, terminal: Terminal): void {
  if (options.print === true) return terminal.out(unitOf(options));
  makeDirectory(resolve(options.dir));
  const path = writeUnit(options);
  terminal.out(`${path}\n`);
  terminal.err('next: skep agent init, then systemctl daemon-reload && systemctl enable --now skep-agent\n');
}

/** State of a newer version is left unchanged. */
export function agentUpgrade(options: InstallOptions, terminal: Terminal): void {
  const files = new AgentFiles(resolve(options.dir));
  const version = files.version();
  if (version > STATE_VERSION)
    throw new CliError(
      `skep: the state is of version ${version}, this program knows ${STATE_VERSION}\n    use a newer one\n`,
    );
  const settings = files.settings();
  if (settings !== null) files.saveSettings(settings);
  const isInstalled = existsSync(join(options.unitDir, UNIT));
  if (isInstalled) writeUnit(options);
  terminal.out(`state version ${STATE_VERSION}${isInstalled ? ', unit written' : ''}\n`);
  if (isInstalled) terminal.err('next: systemctl daemon-reload && systemctl restart skep-agent\n');
}

/** The vault gets the message first: it then refuses the node even if the node's files are found later. */
export async function agentUninstall({ dir, unitDir, force }: UninstallOptions, terminal: Terminal): Promise<void> {
  const files = new AgentFiles(resolve(dir));
  const [settings, identity] = [files.settings(), files.identity()];
  if (settings !== null && identity !== null) {
    try {
      await callsOf(settings).json('DELETE', '/node/self', badgeOf(identity));
    } catch (error) {
      if (!(error instanceof VaultAway || error instanceof VaultRefused)) throw error;
      // Refused: the vault no longer knows this node. Away: the vault would still trust it.
      if (error instanceof VaultAway && force !== true)
        throw new CliError(
          `skep: ${error.message}\n    the vault must know first: try again, or use --force and evict the node there\n`,
        );
    }
  }
  rmSync(join(unitDir, UNIT), { force: true });
  files.clear();
  terminal.out('uninstalled\n');
}

function writeUnit(options: InstallOptions): string {
  const path = join(options.unitDir, UNIT);
  makeDirectory(options.unitDir);
  writeFileSync(path, unitOf(options), { mode: 0o644 });
  return path;
}
