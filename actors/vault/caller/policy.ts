/** Who may do what: rows of subject, path and capabilities (docs/contract/vault.md §2.4). Nothing is allowed that no row allows. */
import { CAPABILITIES } from '#config/definitions/policy-row.ts';
import type { Capability, PolicyRow } from '#config/definitions/policy-row.ts';
import type { Role } from './caller.ts';

export type { Capability } from '#config/definitions/policy-row.ts';

/** What counts where nobody has written a policy: operators may do everything, nobody else anything. */
export const DEFAULT_POLICIES: readonly PolicyRow[] = [
  { subject: 'operator/*', path: '**', capabilities: CAPABILITIES },
];

export interface Subject {
  readonly spiffeId: string;
  readonly role: Role;
  readonly name: string;
}

interface Compiled {
  readonly subject: RegExp;
  readonly path: RegExp;
  /** The path up to its first `*`. */
  readonly head: string;
  readonly capabilities: ReadonlySet<Capability>;
}

export class Policies {
  readonly #rows: readonly Compiled[];
  readonly #reserved: readonly string[];

  /** `reserved`: beginnings of paths whose values an operator gets, or replaces, only by a row that names the place itself. */
  constructor(rows: readonly PolicyRow[], reserved: readonly string[] = []) {
    this.#reserved = reserved;
    this.#rows = rows.map(({ subject, path, capabilities }) => ({
      subject: globOf(subject),
      path: globOf(path),
      head: path.split('*', 1)[0]!,
      capabilities: new Set(capabilities),
    }));
  }

  get count(): number {
    return this.#rows.length;
  }

  /** The reserved place in which a path lies. */
  reserves(path: string): string | null {
    return this.#reserved.find((head) => path.startsWith(head)) ?? null;
  }

  /** Whether a row allows it. Who may read may also learn that it exists. */
  allows({ spiffeId, role, name }: Subject, capability: Capability, path: string): boolean {
    const short = role === 'workload' ? null : `${role}/${name}`;
    const place = role === 'operator' && (capability === 'read' || capability === 'write') ? this.reserves(path) : null;
    return this.#rows.some(
      (row) =>
        (place === null || row.head.startsWith(place)) &&
        (row.capabilities.has(capability) || (capability === 'exists' && row.capabilities.has('read'))) &&
        row.path.test(path) &&
        (row.subject.test(spiffeId) || (short !== null && row.subject.test(short))),
    );
  }
}

/** `*` within a segment, `**` across segments; everything else is itself. */
function globOf(glob: string): RegExp {
  const pattern = glob
    .split(/(\*\*|\*)/)
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')))
    .join('');
  return new RegExp(`^${pattern}$`);
}
