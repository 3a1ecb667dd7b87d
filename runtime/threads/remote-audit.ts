/** An audit service elsewhere, asked over mTLS with the vault's certificate (decisions.md "Audit": HTTP, mTLS from the vault). */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { limits } from '#config/limits.ts';
import type { AuditEvent, LastWord } from '#actors/protocol/audit.ts';

export interface RemoteFiles {
  readonly ca?: string | undefined;
  readonly cert: string;
  readonly key: string;
}

interface Told {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

export class RemoteAudit {
  readonly #base: string;
  readonly #files: RemoteFiles;
  #agent: Agent;

  /** Nothing is asked yet. Throws on files that cannot be read. */
  constructor(endpoint: string, files: RemoteFiles) {
    this.#base = endpoint.replace(/\/$/, '');
    this.#files = files;
    this.#agent = agentOf(files);
  }

  /** A certificate is renewed by putting a new one in its place. */
  reload(): void {
    const next = agentOf(this.#files);
    this.#agent.destroy();
    this.#agent = next;
  }

  close(): void {
    this.#agent.destroy();
  }

  async last(log: string, source: string): Promise<number> {
    const { json } = this.#good(await this.#ask('GET', `${pathOf(log)}/source/${source}`));
    return Number(json['last']);
  }

  /** Events of which the log has every one already are as good as taken: the answer to the first time was lost. */
  async hand(log: string, events: readonly AuditEvent[]): Promise<void> {
    const told = await this.#ask('POST', `${pathOf(log)}/records`, events);
    if (told.status !== 409 || told.json['code'] !== 'audit.duplicate') this.#good(told);
  }

  async newest({ prefix, source, member }: LastWord): Promise<AuditEvent | null> {
    const query = new URLSearchParams({ prefix, source, member });
    const { json } = this.#good(await this.#ask('GET', `/newest?${query.toString()}`));
    return json['record'] as AuditEvent | null;
  }

  #good(told: Told): Told {
    if (told.status === 200) return told;
    const { code = '', error = '' } = told.json as Readonly<Record<string, string>>;
    throw new Error(
      `the audit service answers ${told.status} ${code} ${error}`.slice(0, limits.vault.auditFaultCharsMax),
    );
  }

  #ask(method: string, path: string, body?: unknown): Promise<Told> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const settings = {
      method,
      agent: this.#agent,
      headers:
        text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) },
      signal: AbortSignal.timeout(limits.vault.auditAnswerMs),
    };
    return new Promise((resolve, reject) => {
      const asked = request(this.#base + path, settings, (answer) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > limits.vault.auditAnswerBytesMax) asked.destroy(new Error('its answer is too large'));
          else chunks.push(chunk);
        });
        answer.on('error', reject);
        answer.on('end', () => resolve({ status: answer.statusCode!, json: jsonOf(Buffer.concat(chunks)) }));
      });
      asked.on('error', reject);
      asked.end(text);
    });
  }
}

const pathOf = (log: string): string => `/logs/${encodeURIComponent(log)}`;

function agentOf({ ca, cert, key }: RemoteFiles): Agent {
  const badge = { cert: readFileSync(cert), key: readFileSync(key), ...(ca !== undefined && { ca: readFileSync(ca) }) };
  return new Agent({ keepAlive: true, minVersion: 'TLSv1.3', ...badge });
}

function jsonOf(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
