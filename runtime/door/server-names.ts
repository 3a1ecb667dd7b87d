/** The certificates of a node:http door by the names that callers ask for (RFC 6066 §3); a caller with another name, or none, is shown the door's own. */
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { TlsPair } from './tls-pair.ts';

type Told = (error: Error | null, context?: SecureContext) => void;

export class ServerNames {
  #contexts: ReadonlyMap<string, SecureContext> = new Map();

  /** For the option `SNICallback` of a TLS server. */
  readonly callback = (name: string, told: Told): void => told(null, this.#find(name.toLowerCase()));

  /** From here on these are shown. Of two certificates with one name the first counts. */
  replace(pairs: readonly TlsPair[], options: SecureContextOptions): void {
    const contexts = new Map<string, SecureContext>();
    for (const { key, cert, names } of pairs) {
      const context = createSecureContext({ key, cert, ...options });
      for (const name of names) if (!contexts.has(name)) contexts.set(name, context);
    }
    this.#contexts = contexts;
  }

  /** A wildcard stands for one label (RFC 6125 §6.4.3). */
  #find(name: string): SecureContext | undefined {
    return this.#contexts.get(name) ?? this.#contexts.get(`*${name.slice(name.indexOf('.'))}`);
  }
}
