/**
 * Secrets as the contract has them (docs/contract/vault.md §4.3), in a map. What a fall has left open is one of several states, until somebody is shown which.
 */
const READABLE_MAX = 3;

type State = 'active' | 'inactive' | 'deleted' | 'destroyed';

export interface Version {
  readonly version: number;
  readonly state: State;
  readonly value: string;
}

/** Oldest first; a secret that was never written has none. */
export type Secret = readonly Version[];

export type Change =
  | { readonly kind: 'put'; readonly value: string; readonly cas: number | null }
  | { readonly kind: 'remove'; readonly destroys: boolean; readonly version: number | null };

export const latestOf = (secret: Secret): number => secret.at(-1)?.version ?? 0;

/** What it is then; null where it is refused. */
export function changed(secret: Secret, change: Change): Secret | null {
  return change.kind === 'put' ? written(secret, change.value, change.cas) : without(secret, change);
}

function written(secret: Secret, value: string, cas: number | null): Secret | null {
  const version = latestOf(secret) + 1;
  if (cas !== null && cas !== version - 1) return null;
  const older = secret.map((one): Version => {
    if (one.version <= version - READABLE_MAX) return { ...one, state: 'destroyed' };
    return one.state === 'active' ? { ...one, state: 'inactive' } : one;
  });
  return [...older, { version, state: 'active', value }];
}

function without(secret: Secret, { destroys, version }: { destroys: boolean; version: number | null }): Secret | null {
  const isMeant = (one: Version): boolean =>
    (version === null || one.version === version) && one.state !== 'destroyed' && (destroys || one.state !== 'deleted');
  if (!secret.some(isMeant)) return null;
  return secret.map((one): Version => (isMeant(one) ? { ...one, state: destroys ? 'destroyed' : 'deleted' } : one));
}

/** The version that a read gives; null where there is none. */
export function readable(secret: Secret, version: number | null): Version | null {
  const found = secret.find((one) => one.version === (version ?? latestOf(secret)));
  return found?.state === 'active' || found?.state === 'inactive' ? found : null;
}

export const shown = (secret: Secret): string =>
  secret.map(({ version, state }) => `${version} ${state}`).join(', ') || 'nothing';

/** What is known of one secret. */
export class Known {
  readonly #path: string;
  #states: readonly Secret[] = [[]];
  /** Whether a change of it is on its way. */
  isBusy = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** The one state, or one of those that it may have. */
  get any(): Secret {
    return this.#states[0]!;
  }

  get isCertain(): boolean {
    return this.#states.length === 1;
  }

  /** Values that it may have ever had and shows no more do not count. */
  get states(): readonly Secret[] {
    return this.#states;
  }

  /** A change was acknowledged; `version`: of a write, which it got. */
  took(change: Change, version: number | null): void {
    const after = this.#states.map((state) => changed(state, change)).filter((state) => state !== null);
    this.#keep(
      after.filter((state) => version === null || latestOf(state) === version),
      version === null ? 'a removal is acknowledged' : `a write is acknowledged as version ${version}`,
    );
  }

  refused(change: Change): void {
    this.#keep(
      this.#states.filter((state) => changed(state, change) === null),
      `a ${change.kind} is refused`,
    );
  }

  /** A change was asked for, and nothing was answered. */
  mayHaveTaken(change: Change): void {
    this.#states = this.#states.flatMap((state) => {
      const after = changed(state, change);
      return after === null ? [state] : [state, after];
    });
  }

  /** A read gave this value, or null where it says that there is none. */
  read(version: number | null, found: { readonly version: number; readonly value: string } | null): void {
    const fits = (state: Secret): boolean => {
      const wanted = readable(state, version);
      return wanted === null ? found === null : wanted.version === found?.version && wanted.value === found.value;
    };
    const what = found === null ? 'nothing' : `version ${found.version} with ${found.value}`;
    this.#keep(this.#states.filter(fits), `a read of ${version ?? 'the newest'} shows ${what}`);
  }

  listed(found: string): void {
    this.#keep(
      this.#states.filter((state) => shown(state) === found),
      `its versions are ${found}`,
    );
  }

  /** States that what was seen leaves. Throws where none is left. */
  #keep(states: readonly Secret[], seen: string): void {
    if (states.length === 0)
      throw new Error(`${this.#path}: ${seen}, and it has ${this.#states.map(shown).join('; or ')}`);
    this.#states = states;
  }
}
