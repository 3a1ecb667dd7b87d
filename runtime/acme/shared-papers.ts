/**
 * Certificates that all nodes of a log have: sealed in their vault, at paths that no route of the vault reaches. The node that serves writes them; one that stands by reads them, and each has copies in its files.
 *
 *   acme/state             what is remembered of each name, digests of the pairs, the token of the order under way
 *   acme/pair/<name>       key and chain
 *   acme/account/<digest>  the key of the account at an authority
 *
 * A change names the version of the state that its node has seen: of two nodes that both take themselves for the one that serves, one has an order fail.
 */
import { createPrivateKey, hash, type KeyObject } from 'node:crypto';
import type { Log } from '#actors/host/activation.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { SerialByKey } from '#actors/kit/serial.ts';
import { NODE_SCOPE } from '#actors/vault/caller/scope.ts';
import type { Barrier } from '#actors/vault/seal/barrier.ts';
import { EnvelopeBroken } from '#actors/vault/seal/envelope.ts';
import type { Change, VaultStore } from '#actors/vault/store.ts';
import { AcmeFault } from './fault.ts';
import { memoryIn, recall, remember, type Memory } from './memory.ts';
import type { Attempts } from './next-action.ts';
import { accountPlace } from './pairs.ts';
import { keyPem, newKey, readPair } from './paper.ts';
import type { Papers } from './papers.ts';
import { pairPlace } from './places.ts';
import { readIfThere, writePrivately } from './private-file.ts';

const STATE = 'acme/state';
const pairPath = (name: string): string => `acme/pair/${name}`;
const accountPath = (directory: string): string => `acme/account/${hash('sha256', directory).slice(0, 16)}`;
/** Records of secrets have version 0: no envelope of theirs stands for one of these. */
const placeOf = (path: string) => ({ tenant: NODE_SCOPE, name: path, version: 1 });
const digestOf = (text: string): string => hash('sha256', text);

interface Offered {
  readonly name: string;
  readonly token: string;
  readonly answer: string;
}

interface State {
  readonly attempts: Readonly<Record<string, Attempts>>;
  /** Of the pair of each name. */
  readonly pairs: Readonly<Record<string, string>>;
  /** Null while no order waits to be asked for its token. */
  readonly offered: Offered | null;
}

interface Pair {
  readonly name: string;
  /** Key and chain. */
  readonly text: string;
}

const NONE: State = { attempts: {}, pairs: {}, offered: null };

export interface SharedPapersPorts {
  readonly store: VaultStore;
  /** The vault is open for one call. */
  readonly unsealed: <T>(run: (barrier: Barrier) => Promise<T>) => Promise<T>;
  readonly dataDir: string;
  /** Those whose certificates are ordered. */
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

export class SharedPapers implements Papers {
  readonly #ports: SharedPapersPorts;
  /** Looks and changes come one after another: an older look must not replace what a change has found. */
  readonly #turns = new SerialByKey();
  #version = 0;
  #state = NONE;
  /** The version whose pairs are in the files. */
  #fetched = -1;

  constructor(ports: SharedPapersPorts) {
    this.#ports = ports;
  }

  /** Has what other nodes have gained in the files of this one. Rejects with BackendDown, and as the vault does that cannot be opened. */
  async fetch(): Promise<Memory> {
    const { clock, dataDir, names } = this.#ports;
    await this.look();
    const memory = memoryIn(this.#state.attempts, clock.now());
    if (this.#fetched === this.#version) return memory;
    const version = this.#version;
    for (const name of names) await this.#fetchPair(name);
    if (this.isBegun) await remember(dataDir, memory);
    this.#fetched = version;
    return memory;
  }

  /** Whether a node has put anything here: one that serves does, before its first order. As of the newest look. */
  get isBegun(): boolean {
    return this.#version > 0;
  }

  /** What this machine has from before, and the vault has not, comes into it: certificates and waits of a node that had no others beside it. */
  async recall(): Promise<Memory> {
    const { clock, dataDir, names } = this.#ports;
    const memory = await this.fetch();
    const missing = names.filter((name) => this.#state.pairs[name] === undefined);
    const files = await Promise.all(missing.map((name) => readIfThere(pairPlace(dataDir, name))));
    const found = missing.flatMap((name, no) => (isPair(files[no]!) ? [{ name, text: files[no]! }] : []));
    const own = this.isBegun ? memory : await recall(dataDir, clock.now());
    if (found.length > 0 || own.size > memory.size) await this.#commitPairs(found, own);
    return own;
  }

  async remember(name: string, attempts: Attempts): Promise<void> {
    await this.#change((state) => ({ ...state, attempts: { ...state.attempts, [name]: attempts } }));
    await remember(this.#ports.dataDir, memoryIn(this.#state.attempts, this.#ports.clock.now()));
  }

  async account(directory: string): Promise<KeyObject> {
    const path = accountPath(directory);
    const kept = await this.#read(path);
    if (kept !== null) return createPrivateKey(kept);
    const before = await readIfThere(accountPlace(this.#ports.dataDir, directory));
    const pem = before ?? keyPem(await newKey());
    const { ok } = await this.#ports.store.commit([{ path, value: await this.#sealed(path, pem), expect: 0 }]);
    return createPrivateKey(ok ? pem : (await this.#read(path))!); // another node made it first
  }

  /** The vault has it before a caller is shown it. */
  async put(name: string, pair: string): Promise<void> {
    await this.#commitPairs([{ name, text: pair }]);
    await writePrivately(pairPlace(this.#ports.dataDir, name), pair);
  }

  async offer(name: string, token: string, answer: string): Promise<() => Promise<void>> {
    await this.#change((state) => ({ ...state, offered: { name, token, answer } }));
    return async () => {
      // One that stays is of an order that is over: the authority asks for it no more, and the next order replaces it.
      await this.#change((state) => ({ ...state, offered: null })).catch(() => undefined);
    };
  }

  /** The answer to a token that the node that serves offered at the newest look; null where it offered none such. */
  offered(name: string, token: string): string | null {
    const { offered } = this.#state;
    return offered?.name === name && offered.token === token ? offered.answer : null;
  }

  close(): Promise<void> {
    return this.#ports.store.close();
  }

  async #fetchPair(name: string): Promise<void> {
    const digest = this.#state.pairs[name];
    const file = pairPlace(this.#ports.dataDir, name);
    const here = await readIfThere(file);
    if (digest === undefined || (here !== null && digestOf(here) === digest)) return;
    const text = await this.#usable(name);
    // Replaced since the state was read: the next look finds the newer one.
    if (text !== null && digestOf(text) === digest) await writePrivately(file, text);
  }

  /** Null for a pair that cannot be used, which costs its name alone: what is in the file stays, and without one it is ordered anew. */
  async #usable(name: string): Promise<string | null> {
    try {
      const text = await this.#read(pairPath(name));
      if (text === null || isPair(text)) return text;
    } catch (error) {
      if (!(error instanceof EnvelopeBroken)) throw error;
    }
    this.#ports.log.error({ name }, DAMAGED);
    return null;
  }

  /** All or none of them. */
  async #commitPairs(pairs: readonly Pair[], memory: Memory = new Map()): Promise<void> {
    const changes = pairs.map(async ({ name, text }) => {
      const path = pairPath(name);
      return { path, value: await this.#sealed(path, text) };
    });
    const digests = Object.fromEntries(pairs.map(({ name, text }) => [name, digestOf(text)]));
    await this.#change(
      (state) => ({
        ...state,
        attempts: { ...state.attempts, ...Object.fromEntries(memory) },
        pairs: { ...state.pairs, ...digests },
      }),
      await Promise.all(changes),
    );
  }

  /** Knows the newest state. The vault is opened where it is another one than before. Rejects as `fetch`. */
  look(): Promise<void> {
    return this.#turns.run(STATE, () => this.#look());
  }

  async #look(): Promise<void> {
    const stored = await this.#ports.store.get(STATE);
    const version = stored?.version ?? 0;
    if (version === this.#version) return;
    this.#state = stored === undefined ? NONE : stateIn(await this.#opened(STATE, stored.value));
    this.#version = version;
  }

  #change(next: (state: State) => State, more: readonly Change[] = []): Promise<void> {
    return this.#turns.run(STATE, () => this.#commit(next, more));
  }

  async #commit(next: (state: State) => State, more: readonly Change[]): Promise<void> {
    const state = next(this.#state);
    const value = await this.#sealed(STATE, JSON.stringify(state));
    const done = await this.#ports.store.commit([{ path: STATE, value, expect: this.#version }, ...more]);
    if (!done.ok) {
      await this.#look();
      throw new AcmeFault(
        'another node has changed what the nodes share of certificates',
        'nothing, where that one serves now: it orders them; skep cluster status shows which one does',
      );
    }
    this.#state = state;
    this.#version = done.revision;
  }

  async #read(path: string): Promise<string | null> {
    const stored = await this.#ports.store.get(path);
    return stored === undefined ? null : this.#opened(path, stored.value);
  }

  #sealed(path: string, text: string): Promise<Buffer> {
    return this.#ports.unsealed((barrier) => barrier.close(placeOf(path), Buffer.from(text)));
  }

  async #opened(path: string, closed: Buffer): Promise<string> {
    const plain = await this.#ports.unsealed((barrier) => barrier.open(placeOf(path), closed));
    const text = plain.toString('utf8');
    plain.fill(0);
    return text;
  }
}

const DAMAGED =
  'the certificate of a site in the vault cannot be used, and this node keeps the one that it has. Look at the database of the vault: skep tls renew, at the node that serves, replaces it';

/** What a release before or after this one wrote besides stays in it. */
function stateIn(text: string): State {
  return { ...NONE, ...(JSON.parse(text) as Partial<State>) };
}

function isPair(text: string | null): boolean {
  try {
    readPair(text ?? '');
    return true;
  } catch {
    return false;
  }
}
