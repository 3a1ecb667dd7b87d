/** `skep agent init`: joins with a join token. A repetition after a lost reply gets the same node. */
import { resolve } from 'node:path';
import { AgentFiles } from '#runtime/agent/identity-file.ts';
import { joinVault } from '#runtime/agent/papers.ts';
import { callsOf } from '#runtime/agent/run-agent.ts';
import { nodeNameOfHost, type AgentSettings } from '#runtime/agent/settings.ts';
import { VaultAway, VaultRefused } from '#runtime/agent/vault-calls.ts';
import type { InitOptions } from './agent-options.ts';
import { renderRecord } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

export async function agentInit(options: InitOptions, terminal: Terminal): Promise<void> {
  const files = new AgentFiles(resolve(options.dir));
  const known = files.identity();
  if (known !== null && Date.parse(known.not_after) > Date.now())
    throw new CliError(
      `skep: this node has joined as ${known.name} (${known.node_id})\n    leave first: skep agent uninstall\n`,
    );
  const token = await tokenOf(options, terminal);
  const settings = settingsOf(options);
  files.saveSettings(settings);
  try {
    const identity = await joinVault(files, callsOf(settings), settings, token);
    const { node_id, name, spiffe_id, not_after } = identity;
    terminal.out(renderRecord({ node_id, name, spiffe_id, not_after }, 'table'));
  } catch (error) {
    if (error instanceof VaultRefused) throw new CliError(`skep: ${error.message}\n`);
    if (error instanceof VaultAway)
      throw new CliError(`skep: ${error.message}\n    try again: the same token gives the same node\n`);
    throw error;
  }
}

function settingsOf({ vault, ca, datacenter, cluster, name }: InitOptions): AgentSettings {
  if (!URL.canParse(vault) || new URL(vault).protocol !== 'https:')
    throw new CliError(`skep: --vault: an https URL, not "${vault}"\n`, EXIT.usage);
  return {
    vault,
    ca: ca === undefined ? null : resolve(ca),
    datacenter,
    cluster,
    name: name ?? nodeNameOfHost(),
  };
}

/** Other users can see a process's arguments, but not its environment or standard input. */
async function tokenOf({ token }: InitOptions, { env }: Terminal): Promise<string> {
  const given = token === '-' ? await readAll() : (token ?? env['SKEP_JOIN_TOKEN'] ?? '');
  if (given !== '') return given.trim();
  throw new CliError(
    'skep: no join token\n    set SKEP_JOIN_TOKEN, or pipe it: skep agent init --token -\n',
    EXIT.usage,
  );
}

async function readAll(): Promise<string> {
  let text = '';
  for await (const piece of process.stdin.setEncoding('utf8')) text += piece as string;
  return text;
}
