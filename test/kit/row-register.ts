/** One row as an object of a history (linearizable.ts): created under an id of the caller's, read, changed with and without If-Match, removed (docs/contract/data.md, docs/contract/common.md §4.2). Pure. */

/** What a row is: its value, and the version that its ETag says. */
export interface Register {
  readonly value: number;
  readonly version: number;
}

/** Null: there is no row. */
export type RegisterState = Register | null;

/** `unknown`: no answer came, or one that says that the change may have happened. */
export type RegisterCall =
  | { readonly kind: 'read'; readonly found: RegisterState }
  | { readonly kind: 'create'; readonly value: number; readonly outcome: 'done' | 'exists' | 'unknown' }
  | {
      readonly kind: 'update';
      readonly value: number;
      /** The version that it demands. */
      readonly ifMatch: number | null;
      readonly outcome: { readonly version: number } | 'missing' | 'stale' | 'unknown';
    }
  | { readonly kind: 'remove'; readonly outcome: 'done' | 'missing' | 'unknown' };

/** The register behind a call; null where its outcome is not the one of this state. A call without an outcome that would change nothing counts as not made. */
export function registerStep(state: RegisterState, call: RegisterCall): { readonly state: RegisterState } | null {
  switch (call.kind) {
    case 'read':
      return isSame(state, call.found) ? { state } : null;
    case 'create':
      if (call.outcome === 'exists') return state === null ? null : { state };
      return state === null ? { state: { value: call.value, version: 1 } } : null;
    case 'update':
      return updated(state, call);
    case 'remove':
      if (call.outcome === 'missing') return state === null ? { state } : null;
      return state === null ? null : { state: null };
  }
}

function updated(
  state: RegisterState,
  { value, ifMatch, outcome }: Extract<RegisterCall, { kind: 'update' }>,
): { readonly state: RegisterState } | null {
  if (outcome === 'missing') return state === null ? { state } : null;
  if (state === null) return null;
  const fits = ifMatch === null || ifMatch === state.version;
  if (outcome === 'stale') return fits ? null : { state };
  const next = { value, version: state.version + 1 };
  const isSaid = outcome === 'unknown' || outcome.version === next.version;
  return fits && isSaid ? { state: next } : null;
}

function isSame(one: RegisterState, other: RegisterState): boolean {
  return one?.value === other?.value && one?.version === other?.version;
}
