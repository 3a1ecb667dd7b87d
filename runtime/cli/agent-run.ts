/** `skep agent run`: serves until a signal. */
import { resolve } from 'node:path';
import type { LogLevel } from '#config/platform.ts';
import { AgentFiles } from '#runtime/agent/identity-file.ts';
import { NotInitialised, runAgent } from '#runtime/agent/run-agent.ts';
import { NodeLog } from '#runtime/observe/logger.ts';
import { handleSignals } from '#runtime/signals.ts';
import type { RunOptions } from './agent-options.ts';
import { CliError, EXIT } from './terminal.ts';

const LEVELS: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export async function agentRun({ dir, socket, metrics, level }: RunOptions): Promise<void> {
  if (!LEVELS.includes(level)) throw new CliError(`skep: --level: write one of ${LEVELS.join(' ')}\n`, EXIT.usage);
  const logs = new NodeLog({ level: level as LogLevel, output: 'stdout', format: 'json' });
  const log = logs.for('agent');
  try {
    const agent = await runAgent({ files: new AgentFiles(resolve(dir)), socket: resolve(socket), metrics, log });
    handleSignals({ log, stop: () => agent.stop(), rotate: () => Promise.resolve() });
  } catch (error) {
    if (error instanceof NotInitialised) throw new CliError(`skep: ${error.message}\n`);
    throw error;
  }
}
