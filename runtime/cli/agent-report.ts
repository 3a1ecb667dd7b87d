/** `skep agent status` and `skep agent doctor`. Neither prints a key or a token. */
import { resolve } from 'node:path';
import { askAgent } from '#runtime/agent/agent-client.ts';
import { examine } from '#runtime/agent/doctor.ts';
import { AgentFiles } from '#runtime/agent/identity-file.ts';
import { isServed } from '#runtime/agent/is-served.ts';
import type { ReportOptions } from './agent-options.ts';
import { renderRecord, renderRows } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

/** Healthy: the identity has not expired, the socket is served, and the vault does not refuse the agent that serves it. */
export async function agentStatus({ dir, socket, output }: ReportOptions, terminal: Terminal): Promise<void> {
  const files = new AgentFiles(resolve(dir));
  const identity = files.identity();
  if (identity === null) throw new CliError(`skep: ${files.dir} holds no identity\n    join first: skep agent init\n`);
  const isAlive = Date.now() < Date.parse(identity.not_after);
  const serving = await isServed(resolve(socket));
  const agentReasons = serving ? await saidBy(resolve(socket)) : [];
  const { node_id, name, spiffe_id, not_after, refresh_expires_at } = identity;
  const reasons = [
    ...new Set([
      ...(isAlive ? [] : ['the identity has expired']),
      ...(serving ? [] : [`no agent serves ${resolve(socket)}`]),
      ...agentReasons,
    ]),
  ];
  const healthy = reasons.length === 0;
  const vault = files.settings()?.vault;
  terminal.out(
    renderRecord({ healthy, reasons, node_id, name, spiffe_id, vault, not_after, refresh_expires_at }, output),
  );
  if (!healthy) throw new CliError('', EXIT.failure);
}

/** Why the running agent is not healthy; an agent of a version without this route gives nothing. */
async function saidBy(socket: string): Promise<string[]> {
  try {
    const { status, body } = await askAgent(socket, 'GET', '/status', undefined, {}, STATUS_MS);
    if (status !== 200) return [];
    return (JSON.parse(body.toString('utf8')) as { reasons: string[] }).reasons;
  } catch (error) {
    return [`the agent does not answer: ${(error as Error).message}`];
  }
}

const STATUS_MS = 5000;

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
