/** What an agent is told once, at `skep agent init`, and keeps beside its identity. */
import { hostname } from 'node:os';

export interface AgentSettings {
  /** URL of the vault. */
  readonly vault: string;
  /** PEM file of who issued the vault's TLS certificate; null for the system's own issuers. */
  readonly ca: string | null;
  readonly datacenter: string;
  readonly cluster: string;
  readonly name: string;
}

export const AGENT_DEFAULTS = {
  dir: '/var/lib/skep/agent',
  socket: '/run/skep/agent.sock',
  metrics: '127.0.0.1:9099',
  vault: 'https://127.0.0.1:7999',
  datacenter: 'dc1',
  cluster: 'main',
} as const;

/** The machine's name as a node may have it. */
export function nodeNameOfHost(): string {
  const name = hostname()
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
  return name === '' ? 'node' : name.slice(0, 128);
}
