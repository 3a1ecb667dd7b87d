/** Policies: rows of subject, path and capabilities (docs/contract/vault.md §2.4). What no row allows is denied. */
import { CAPABILITIES, type Capability, type PolicyRow } from '#config/definitions/policy-row.ts';
import type { Role } from './caller.ts';
import { Glob } from './glob.ts';

export type { Capability } from '#config/definitions/policy-row.ts';

/** The rows that apply while no policy is written: operators may do everything, other callers nothing. */
export const DEFAULT_POLICIES: readonly PolicyRow[] = [
  { subject: 'operator/*', path: '**', capabilities: CAPABILITIES },
];

export interface Subject {
  readonly spiffeId: string;
  readonly role: Role;
  readonly name: string;
}

interface Compiled {
  readonly subject: Glob;
  readonly path: Glob;
  readonly capabilities: ReadonlySet<Capability>;
}

export class Policies {
  readonly #rows: readonly Compiled[];
  readonly #reserved: readonly string[];

  /** `reserved`: beginnings of paths. An operator reads or replaces values below them only by a row that names the place itself. */
  constructor(rows: readonly PolicyRow[], reserved: readonly string[] = []) {
    this.#reserved = reserved;
    this.#rows = rows.map(({ subject, path, capabilities }) => ({
      subject: new Glob(subject),
      path: new Glob(path),
      capabilities: new Set(capabilities),
    }));
  }

  get count(): number {
    return this.#rows.length;
  }

  /** The reserved place that contains a path. */
  reserves(path: string): string | null {
    return this.#reserved.find((head) => path.startsWith(head)) ?? null;
  }

  /** Whether a row allows it. The capability to read includes the knowledge that a secret exists. */
  allows({ spiffeId, role, name }: Subject, capability: Capability, path: string): boolean {
    const short = role === 'workload' ? null : `${role}/${name}`;
    const place = role === 'operator' && (capability === 'read' || capability === 'write') ? this.reserves(path) : null;
    return this.#rows.some(
      (row) =>
        (place === null || row.path.head.startsWith(place)) &&
        (row.capabilities.has(capability) || (capability === 'exists' && row.capabilities.has('read'))) &&
        row.path.fits(path) &&
        (row.subject.fits(spiffeId) || (short !== null && row.subject.fits(short))),
    );
  }
}
