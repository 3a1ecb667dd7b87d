/** A caller of the vault's HTTP: mTLS with an operator's certificate, or plain to a development vault on loopback. */
import { existsSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { parsePosition } from '#actors/protocol/position.ts';
import { ATTEST, SHELL, askAgent } from '#runtime/agent/agent-client.ts';
import { AGENT_DEFAULTS } from '#runtime/agent/settings.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';
import type { VaultOptions } from './vault-options.ts';

export interface VaultAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const URL_DEFAULT = 'https://127.0.0.1:7999';
const DEADLINE_MS = 30_000;

/** Sends a request to the vault in the options. A failed connection ends the verb with the contract's code for it. */
export async function askVault(
  options: VaultOptions,
  terminal: Terminal,
  method: string,
  path: string,
  body?: unknown,
): Promise<VaultAnswer> {
  const socket = agentOf(options, terminal);
  if (socket !== null) return throughAgent(socket, options, method, path, body);
  const base = options.url ?? terminal.env['SKEP_VAULT_URL'] ?? URL_DEFAULT;
  if (!URL.canParse(base)) throw new CliError(`skep: "${base}" is not a URL\n`, EXIT.usage);
  const url = new URL(path, base);
  const secure = url.protocol === 'https:';
  const text = body === undefined ? undefined : JSON.stringify(body);
  const settings = {
    method,
    headers: { ...positionOf(options), ...(text !== undefined && framed(text)) },
    agent: false as const,
    signal: AbortSignal.timeout(DEADLINE_MS),
    ...(secure && identityOf(options, terminal)),
  };
  return new Promise((resolve, reject) => {
    const asked = (secure ? httpsRequest : httpRequest)(url, settings, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, body: jsonOf(Buffer.concat(chunks)), headers: answer.headers }),
      );
    });
    asked.on('error', (error: NodeJS.ErrnoException) =>
      reject(new CliError(`skep: vault-not-connected: ${base}: ${error.code ?? error.message}\n`, EXIT.failure)),
    );
    asked.end(text);
  });
}

/** Node sends the body of a DELETE only with an explicit length. */
const framed = (text: string): Record<string, string> => ({
  'Content-Type': 'application/json',
  'Content-Length': String(Buffer.byteLength(text)),
});

/** Developers go through the local agent (docs/contract/vault.md §2.2), unless they give a certificate or name a vault. */
function agentOf({ agent, url, operatorCert }: VaultOptions, { env }: Terminal): string | null {
  if (agent !== undefined) return agent;
  const isDirect = url !== undefined || operatorCert !== undefined || (env['SKEP_OPERATOR_CERT'] ?? '') !== '';
  const named = env['SKEP_AGENT_SOCKET'] ?? '';
  if (isDirect || (env['SKEP_VAULT_URL'] ?? '') !== '') return null;
  if (named !== '') return named;
  return existsSync(AGENT_DEFAULTS.socket) ? AGENT_DEFAULTS.socket : null;
}

async function throughAgent(
  socket: string,
  options: VaultOptions,
  method: string,
  path: string,
  body: unknown,
): Promise<VaultAnswer> {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  try {
    const headers = { ...positionOf(options), [ATTEST]: SHELL };
    const answered = await askAgent(socket, method, path, bytes, headers, DEADLINE_MS);
    return { status: answered.status, body: jsonOf(answered.body), headers: answered.headers };
  } catch (error) {
    throw new CliError(
      `skep: vault-not-connected: the agent at ${socket}: ${(error as Error).message}\n`,
      EXIT.failure,
    );
  }
}

/** Ends the verb with the vault's refusal, unless the status is one of the expected ones. */
export function expectStatus(answer: VaultAnswer, ...statuses: readonly number[]): VaultAnswer {
  if (statuses.includes(answer.status)) return answer;
  const { code = `status ${answer.status}`, error = 'no reason given' } = answer.body as {
    code?: string;
    error?: string;
  };
  const mend = MENDS[code];
  throw new CliError(`skep: ${code}: ${error}\n${mend === undefined ? '' : `    ${mend}\n`}`, EXIT.failure);
}

/** What to do about the refusals that operators meet first. */
const MENDS: Readonly<Record<string, string | undefined>> = {
  'vault.sealed': 'give shares with skep vault unseal; a new vault gets its shares from skep vault init',
  'vault.unauthorized': 'show a certificate: --operator-cert and --operator-key, or go through the agent: --agent',
  'vault.rolled_back': 'restore the newest copy; to accept this older one, start once with accept_rollback: true',
};

function positionOf({ tenant }: VaultOptions): Record<string, string> {
  const position = tenant === undefined ? null : parsePosition(tenant);
  if (position === null) return {};
  const { customer, product, env, tenant: name } = position;
  return { 'X-Customer': customer, 'X-Product': product, 'X-Env': env, 'X-Tenant': name };
}

function identityOf(options: VaultOptions, { env }: Terminal) {
  const pem = (name: string, file: string | undefined): string | undefined => {
    if (file === undefined || file === '') return undefined;
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw new CliError(`skep: ${name}: cannot read ${file} (${(error as NodeJS.ErrnoException).code})\n`, EXIT.usage);
    }
  };
  const ca = pem('--ca', options.ca ?? env['SKEP_VAULT_CA']);
  const cert = pem('--operator-cert', options.operatorCert ?? env['SKEP_OPERATOR_CERT']);
  const key = pem('--operator-key', options.operatorKey ?? env['SKEP_OPERATOR_KEY']);
  if ((cert === undefined) !== (key === undefined))
    throw new CliError(
      'skep: a certificate and its key belong together\n    name both --operator-cert and --operator-key\n',
      EXIT.usage,
    );
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert, key }), minVersion: 'TLSv1.3' as const };
}

function jsonOf(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(bytes.toString('utf8')) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
