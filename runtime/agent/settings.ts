/** Settings that `skep agent init` stores beside the identity. */
import { hostname } from 'node:os';

export interface AgentSettings {
  /** URL of the vault. */
  readonly vault: string;
  /** PEM file of the issuer of the vault's TLS certificate; null for the system's own issuers. */
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

/** The machine's host name in the form of a node name. */
export function nodeNameOfHost(): string {
  const name = hostname()
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '-')
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
  return name === '' ? 'node' : name.slice(0, 128);
}
