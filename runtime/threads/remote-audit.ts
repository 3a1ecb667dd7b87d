/** An audit service elsewhere, asked over mTLS with the vault's certificate (docs/contract/audit.md §4.1: HTTP, mTLS from the vault). */
import type { Agent } from 'node:https';
import { limits } from '#config/limits.ts';
import type { AuditEvent, LastWord } from '#actors/protocol/audit.ts';
import { askOver, badgeAgent, type BadgeFiles, type MtlsAnswer } from './mtls-client.ts';

const BOUNDS = { answerMs: limits.vault.auditAnswerMs, answerBytesMax: limits.vault.auditAnswerBytesMax } as const;
const agentOf = (files: BadgeFiles): Agent => badgeAgent(files, 'vault.audit.tls');

export class RemoteAudit {
  readonly #base: string;
  readonly #files: BadgeFiles;
  #agent: Agent;

  /** Sends nothing yet. Throws on files that cannot be read. */
  constructor(endpoint: string, files: BadgeFiles) {
    this.#base = endpoint.replace(/\/$/, '');
    this.#files = files;
    this.#agent = agentOf(files);
  }

  /** Reads the certificate files again, after a renewed certificate was put in their place. */
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

  /** Hands events over. `audit.duplicate` means that the log has all of them and only the answer was lost, so it counts as success. */
  async hand(log: string, events: readonly AuditEvent[]): Promise<void> {
    const told = await this.#ask('POST', `${pathOf(log)}/records`, events);
    if (told.status !== 409 || told.json['code'] !== 'audit.duplicate') this.#good(told);
  }

  async newest({ prefix, source, member }: LastWord): Promise<AuditEvent | null> {
    const query = new URLSearchParams({ prefix, source, member });
    const { json } = this.#good(await this.#ask('GET', `/newest?${query.toString()}`));
    return json['record'] as AuditEvent | null;
  }

  #good(told: MtlsAnswer): MtlsAnswer {
    if (told.status === 200) return told;
    const { code = '', error = '' } = told.json as Readonly<Record<string, string>>;
    throw new Error(
      `the audit service answers ${told.status} ${code} ${error}`.slice(0, limits.vault.auditFaultCharsMax),
    );
  }

  #ask(method: 'GET' | 'POST', path: string, body?: unknown): Promise<MtlsAnswer> {
    return askOver(this.#agent, { method, url: this.#base + path, body }, BOUNDS);
  }
}

const pathOf = (log: string): string => `/logs/${encodeURIComponent(log)}`;
