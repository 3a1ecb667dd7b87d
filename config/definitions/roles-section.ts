/** `roles` of `product.yaml`: the catalogue of roles that administrators may give. Source: docs/contract/data-definitions.md §3. */
import * as z from 'zod';
import { suggestion } from '#config/values/suggest.ts';
import { DEPLOYER } from '../deployer-role.ts';
import { limits } from '../limits.ts';

/** Roles of the platform's operators: a product can neither declare nor grant them, and an administrator of a tenant never gives them. */
const OPERATOR_ROLES: ReadonlySet<string> = new Set([
  'superadmin',
  'platform_admin',
  'customer_admin',
  'product_admin',
  'env_admin',
  'impersonate',
  'impersonate-readonly',
  DEPLOYER,
]);

/** Roles of the platform that count in one tenant; every catalogue has them. */
export const TENANT_ROLES = ['tenant_admin', 'tenant_user', 'tenant_viewer'] as const;

/** In upper or lower case: data's admin plane compares roles without case. */
export const isOperatorRole = (role: string): boolean => OPERATOR_ROLES.has(role.toLowerCase());

/** Name → description. */
export type RoleCatalogue = Readonly<Record<string, string>>;

const ROLE = /^[a-z0-9][a-z0-9_.-]{0,63}$/;

const name = z
  .string()
  .regex(ROLE, 'use lower-case letters, digits, _, . and -, at most 64 characters')
  .refine((role) => !isOperatorRole(role), 'is a role of operators, which no product can declare')
  .refine((role) => !(TENANT_ROLES as readonly string[]).includes(role), 'every tenant has this role: leave it out');

export const rolesSection = z
  .record(name, z.string().min(1).max(limits.people.roleDescriptionCharsMax))
  .refine((roles) => Object.keys(roles).length <= limits.people.catalogueRolesMax)
  .meta({
    description: `a map of role names to what each is for, at most ${limits.people.catalogueRolesMax}`,
    example: '{ dispatcher: assigns tickets }',
  });

/** Why a role cannot be given where the product has a catalogue, with the nearest known one; null when it can be, or nothing is declared. */
export function undeclaredRole(catalogue: RoleCatalogue | undefined, role: string): string | null {
  if (catalogue === undefined || Object.hasOwn(catalogue, role)) return null;
  const known = [...TENANT_ROLES, ...Object.keys(catalogue)];
  return known.includes(role) ? null : `the product declares no role "${role}": ${suggestion(role, known)}`;
}

export interface RoleFault {
  readonly message: string;
  readonly mend: string;
}

/** Why a product can give nothing to a role: it is one of operators, or not in the catalogue. Null where it can. */
export function notGrantable(catalogue: RoleCatalogue | undefined, role: string): RoleFault | null {
  if (isOperatorRole(role))
    return {
      message: `"${role}" is a role of operators, to which no product gives anything`,
      mend: 'name a role of the product',
    };
  const why = undeclaredRole(catalogue, role);
  return why === null ? null : { message: why, mend: 'declare it under `roles` of product.yaml, or name another' };
}
