/** Facts that a process must match to get an identity (docs/contract/vault-pki.md §6: binary path or hash, uid, unit; gid besides). */

export interface Selectors {
  /** The running executable. */
  readonly path?: string | undefined;
  /** SHA-256 of the running executable, hexadecimal. */
  readonly sha256?: string | undefined;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  /** The systemd unit in whose control group it runs. */
  readonly unit?: string | undefined;
}

/** The facts that an agent found out about a process; null where it could not. */
export type Evidence = { readonly [K in keyof Required<Selectors>]: NonNullable<Selectors[K]> | null };

export const SELECTORS = ['path', 'sha256', 'uid', 'gid', 'unit'] as const satisfies readonly (keyof Selectors)[];

/** Whether all selectors of the identity match; an identity without selectors matches no process. */
export function matches(selectors: Selectors, evidence: Evidence): boolean {
  const asked = SELECTORS.filter((name) => selectors[name] !== undefined);
  return asked.length > 0 && asked.every((name) => selectors[name] === evidence[name]);
}
