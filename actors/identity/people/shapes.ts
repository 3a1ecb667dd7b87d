/** Bodies of the administration of people. Spec: docs/contract/identity-people.md §1. Unknown members are refused: a misspelt one would do nothing. */
import { z } from 'zod';
import { OPERATIONS } from '#config/definitions/operations.ts';
import { ROLE_ORIGINS } from '#config/definitions/role-uses.ts';
import { limits } from '#config/limits.ts';
import { isRole, NO_ROLE } from '../operator/role.ts';
import { identityReply } from '../oauth/shapes.ts';
import { newPassword } from '../password-shape.ts';

const { identity, people } = limits;

export const name = z.string().max(identity.nameCharsMax).nullish();
export const roles = z
  .array(z.string().refine(isRole, NO_ROLE))
  .refine((list) => Buffer.byteLength(JSON.stringify(list)) <= people.rolesBytesMax, 'more roles than a token holds')
  .transform((list) => [...new Set(list)]);

export const addRequest = z.strictObject({
  email: z.email().max(identity.emailCharsMax),
  firstname: name,
  lastname: name,
  roles: roles.nullish(),
  password: newPassword.nullish(),
  /** Mails a link with which the user chooses a password. */
  send_reset: z.boolean().nullish(),
});

const CONSENT = 'only the user gives this consent: an administrator may set it to false';

export const changeRequest = z.strictObject({
  firstname: name,
  lastname: name,
  roles: roles.optional(),
  disabled: z.boolean().optional(),
  allow_impersonation: z.literal(false, CONSENT).optional(),
});

export type UserChange = z.output<typeof changeRequest>;

const operations = z.array(z.enum(OPERATIONS));

export const roleListReply = z.object({
  roles: z.array(
    z.object({
      role: z.string(),
      origin: z.enum(ROLE_ORIGINS),
      about: z.string().nullable(),
      entities: z.array(z.object({ entity: z.string(), granted: operations, ruled: operations })),
      fields: z.array(z.object({ entity: z.string(), field: z.string(), may: z.enum(['read', 'write']) })),
      runs: z.array(z.object({ kind: z.enum(['endpoint', 'stateflow']), name: z.string() })),
    }),
  ),
});

export const userReply = z.object({
  id: z.string(),
  email: z.string(),
  firstname: z.string().nullable(),
  lastname: z.string().nullable(),
  roles: z.array(z.string()),
  /** Whether it is a guest: a user without address and password. */
  guest: z.boolean(),
  disabled: z.boolean(),
  disabled_at: z.string().nullable(),
  allow_impersonation: z.boolean(),
  has_password: z.boolean(),
  /** When the user showed to hold the address; null where that never happened. */
  verified_at: z.string().nullable(),
  /** The id in the system that the user was imported from; absent where there is none. */
  external_id: z.string().optional(),
  created_at: z.string(),
});

export type UserView = z.output<typeof userReply>;

export const userDetailReply = userReply.extend({
  second_factor: z.boolean(),
  /** How many passkeys log the user in. */
  passkeys: z.int(),
  /** Accounts at providers that log the user in. */
  identities: z.array(identityReply),
});

export type UserDetail = z.output<typeof userDetailReply>;

export const userListReply = z.object({
  users: z.array(userReply),
  /** The `after` of the next page; null on the last one. */
  next: z.string().nullable(),
});

export const okReply = z.object({ ok: z.literal(true) });
export const endedReply = z.object({ ended: z.int() });
