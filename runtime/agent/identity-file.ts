/**
 * The files of an agent, mode 0600 in a directory of mode 0700: its settings, its identity, and the key of a request in progress. That key is
 * durable before the request is sent: after a lost reply the agent repeats the request with the same key.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { makeDirectory, syncDirectory } from '#storage/directory.ts';
import type { AgentSettings } from './settings.ts';

/** The vault's answer to the last join or renewal (`papersShape` of the vault), with the matching key. */
export interface NodeIdentity {
  readonly node_id: string;
  readonly name: string;
  readonly spiffe_id: string;
  readonly trust_domain: string;
  readonly certificate: string;
  readonly ca: string;
  readonly not_before: string;
  readonly not_after: string;
  readonly refresh_token: string;
  readonly refresh_expires_at: string;
  /** PKCS #8, PEM. */
  readonly key: string;
}

/** Version of the files: `skep agent upgrade` converts older ones. */
export const STATE_VERSION = 1;

export class AgentFiles {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = dir;
  }

  settings(): AgentSettings | null {
    return this.#read<AgentSettings & { version: number }>('settings.json');
  }

  saveSettings(settings: AgentSettings): void {
    this.#write('settings.json', { version: STATE_VERSION, ...settings });
  }

  identity(): NodeIdentity | null {
    return this.#read<NodeIdentity>('identity.json');
  }

  /** The new identity is written completely before the key of its request is removed. */
  saveIdentity(identity: NodeIdentity): void {
    this.#write('identity.json', identity);
    rmSync(this.#path('pending-key.pem'), { force: true });
  }

  /** The key of the request in progress; made, and durable, when there is none. */
  pendingKey(): KeyObject {
    const path = this.#path('pending-key.pem');
    if (existsSync(path)) return createPrivateKey(readFileSync(path));
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#writeText('pending-key.pem', pemOf(privateKey));
    return privateKey;
  }

  /** Deletes everything: the node has left. */
  clear(): void {
    for (const name of ['identity.json', 'settings.json', 'pending-key.pem']) rmSync(this.#path(name), { force: true });
  }

  version(): number {
    return this.#read<{ version?: number }>('settings.json')?.version ?? STATE_VERSION;
  }

  #path(name: string): string {
    return join(this.dir, name);
  }

  #read<T>(name: string): T | null {
    const path = this.#path(name);
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : null;
  }

  #write(name: string, value: unknown): void {
    this.#writeText(name, JSON.stringify(value, null, 2));
  }

  /** Written as a whole or not at all, and durable when it returns. */
  #writeText(name: string, text: string): void {
    makeDirectory(this.dir);
    const next = this.#path(`${name}.next`);
    const fd = openSync(next, 'w', 0o600);
    try {
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(next, this.#path(name));
    syncDirectory(this.dir);
  }
}

export const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();
