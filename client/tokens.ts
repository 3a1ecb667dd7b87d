/** Where the tokens of a login are kept, and the lock under which tabs renew them one at a time. */
import { underLock } from './locks.ts';

/** Like `localStorage`: texts by their names. */
export interface TokenStorage {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  /** When the access token ends, in milliseconds since 1970 by the clock of this machine. */
  readonly endsAt: number;
  /** Made at random with the login; renewals keep it. Missing in what an earlier release wrote. */
  readonly login?: string;
}

/** Of this page or process alone. */
export function inMemory(): TokenStorage {
  const texts = new Map<string, string>();
  return {
    getItem: (name) => texts.get(name) ?? null,
    setItem: (name, text) => void texts.set(name, text),
    removeItem: (name) => void texts.delete(name),
  };
}

export class TokenPlace {
  readonly #storage: TokenStorage;
  readonly #name: string;

  constructor(storage: TokenStorage, name: string) {
    this.#storage = storage;
    this.#name = name;
  }

  /** Null where there are none, or none that can be read. */
  read(): Tokens | null {
    try {
      const held = JSON.parse(this.#storage.getItem(this.#name) ?? 'null') as Partial<Tokens> | null;
      return typeof held?.access === 'string' && typeof held.refresh === 'string' ? (held as Tokens) : null;
    } catch {
      return null;
    }
  }

  write(tokens: Tokens | null): void {
    if (tokens === null) this.#storage.removeItem(this.#name);
    else this.#storage.setItem(this.#name, JSON.stringify(tokens));
  }

  /** One at a time among the tabs of an origin, where the browser has Web Locks; elsewhere among the callers of this client, which `Login` sees to. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return underLock(this.#name, {}, work);
  }

  /** Calls `listener` when another tab has written; gives the function that ends that. Only `localStorage` tells of it. */
  onForeignWrite(listener: () => void): () => void {
    const page = globalThis as Page;
    const heard = ({ key }: { readonly key: string | null }): void => {
      // Null: everything was removed.
      if (key === null || key === this.#name) listener();
    };
    page.addEventListener?.('storage', heard);
    return () => page.removeEventListener?.('storage', heard);
  }
}

interface Page {
  addEventListener?(type: 'storage', listener: (event: { readonly key: string | null }) => void): void;
  removeEventListener?(type: 'storage', listener: (event: { readonly key: string | null }) => void): void;
}
