/** Roles that a form offers, and what a change of them gives and takes. Pure. */
export const ADMINISTRATOR = 'tenant_admin';

/** Every product has these (docs/contract/identity-people.md §1.5). */
const EVERYWHERE = [ADMINISTRATOR, 'tenant_user', 'tenant_viewer'] as const;

/** Those of every product first, then those of this one as far as they were seen. */
export const offered = (...seen: readonly string[]): readonly string[] => [
  ...EVERYWHERE,
  ...[...new Set(seen)].filter((role) => !EVERYWHERE.some((one) => one === role)).toSorted(),
];

export interface RoleChange {
  readonly gives: readonly string[];
  readonly takes: readonly string[];
}

export const changeOf = (before: readonly string[], after: readonly string[]): RoleChange => ({
  gives: after.filter((role) => !before.includes(role)),
  takes: before.filter((role) => !after.includes(role)),
});

/** Whether who administers the tenant changes. */
export const isGrave = ({ gives, takes }: RoleChange): boolean => [...gives, ...takes].includes(ADMINISTRATOR);
