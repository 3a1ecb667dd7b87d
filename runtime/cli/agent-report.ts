/** `skep agent status` and `skep agent doctor`. Neither prints a key or a token. */
import { resolve } from 'node:path';
import { examine } from '#runtime/agent/doctor.ts';
import { AgentFiles } from '#runtime/agent/identity-file.ts';
import { isServed } from '#runtime/agent/is-served.ts';
import type { ReportOptions } from './agent-options.ts';
import { renderRecord, renderRows } from './output.ts';
import { CliError, EXIT } from './terminal.ts';
import type { Terminal } from './terminal.ts';

/** Healthy: the identity has not ended, and the socket is served. */
export async function agentStatus({ dir, socket, output }: ReportOptions, terminal: Terminal): Promise<void> {
  const files = new AgentFiles(resolve(dir));
  const identity = files.identity();
  if (identity === null) throw new CliError(`skep: ${files.dir} holds no identity\n    join: skep agent init\n`);
  const isAlive = Date.now() < Date.parse(identity.not_after);
  const serving = await isServed(resolve(socket));
  const { node_id, name, spiffe_id, not_after, refresh_expires_at } = identity;
  const reasons = [...(isAlive ? [] : ['the identity has expired']), ...(serving ? [] : ['nobody serves the socket'])];
  const healthy = reasons.length === 0;
  const vault = files.settings()?.vault;
  terminal.out(
    renderRecord({ healthy, reasons, node_id, name, spiffe_id, vault, not_after, refresh_expires_at }, output),
  );
  if (!healthy) throw new CliError('', EXIT.failure);
}

export async function agentDoctor({ dir, socket, output }: ReportOptions, terminal: Terminal): Promise<void> {
  const findings = await examine(new AgentFiles(resolve(dir)), resolve(socket), Date.now());
  terminal.out(
    renderRows(
      findings.map((one) => ({ ...one })),
      output,
    ),
  );
  if (findings.some(({ ok }) => !ok)) throw new CliError('', EXIT.failure);
}
