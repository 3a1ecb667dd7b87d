/** Options of the agent's verbs. */
import type { OutputFormat } from './output.ts';

interface AgentPlace {
  readonly dir: string;
  readonly socket: string;
}

export interface InitOptions extends AgentPlace {
  readonly vault: string;
  readonly ca?: string;
  readonly token?: string;
  readonly datacenter: string;
  readonly cluster: string;
  readonly name?: string;
}

export interface RunOptions extends AgentPlace {
  readonly metrics: string;
  readonly level: string;
}

export interface InstallOptions extends AgentPlace {
  readonly metrics: string;
  readonly unitDir: string;
  readonly print?: boolean;
}

export interface UninstallOptions extends AgentPlace {
  readonly unitDir: string;
  readonly force?: boolean;
}

export interface ReportOptions extends AgentPlace {
  readonly output: OutputFormat;
}
