/** Joining and renewing: one request each, which can be repeated with the same key after its reply was lost. */
import { setTimeout as wait } from 'node:timers/promises';
import { limits } from '#config/limits.ts';
import { writeCertificateRequest } from '#actors/vault/pki/new-request.ts';
import { toPem } from '#actors/vault/pki/pem.ts';
import { pemOf, type AgentFiles, type NodeIdentity } from './identity-file.ts';
import type { AgentSettings } from './settings.ts';
import { VaultAway, type VaultCalls } from './vault-calls.ts';

const JOIN_TRIES = 3;

/** Joins with a token, and stores what the vault gave. Throws VaultRefused or VaultAway; then it may be called again. */
export async function joinVault(
  files: AgentFiles,
  calls: VaultCalls,
  settings: AgentSettings,
  token: string,
): Promise<NodeIdentity> {
  const key = files.pendingKey();
  const { datacenter, cluster, name } = settings;
  const body = { token, csr: requestOf(key, name), datacenter, cluster, name };
  for (let tries = 1; ; tries++) {
    try {
      const papers = await calls.json<Omit<NodeIdentity, 'key'>>('POST', '/node/join', null, body);
      return keep(files, papers, pemOf(key));
    } catch (error) {
      if (!(error instanceof VaultAway) || tries === JOIN_TRIES) throw error;
      await wait(limits.agent.retryMsMin);
    }
  }
}

/** Renews certificate and refresh token. Throws VaultRefused or VaultAway; then it may be called again. */
export async function renewPapers(files: AgentFiles, calls: VaultCalls, old: NodeIdentity): Promise<NodeIdentity> {
  const key = files.pendingKey();
  const badge = badgeOf(old);
  const body = { refresh_token: old.refresh_token, csr: requestOf(key, old.name) };
  const papers = await calls.json<Omit<NodeIdentity, 'key'>>('POST', '/node/renew', badge, body);
  calls.close(badge);
  return keep(files, papers, pemOf(key));
}

export const badgeOf = ({ certificate, key }: NodeIdentity) => ({ cert: certificate, key });

function requestOf(key: Parameters<typeof writeCertificateRequest>[0], name: string): string {
  return toPem('CERTIFICATE REQUEST', writeCertificateRequest(key, name.slice(0, 64)));
}

function keep(files: AgentFiles, papers: Omit<NodeIdentity, 'key'>, key: string): NodeIdentity {
  const identity = { ...papers, key };
  files.saveIdentity(identity);
  return identity;
}
