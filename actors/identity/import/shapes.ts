/** Bodies of the import of users. Spec: docs/contract/identity-import.md §1. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { instant } from '#config/values/instant.ts';
import { name, roles } from '../people/shapes.ts';

const { identity, userImport } = limits;

/** Unknown members are refused: a misspelt `password_hash` would import a user who cannot log in. */
export const importRow = z.strictObject({
  email: z.email().max(identity.emailCharsMax),
  /** The other system knows that the user holds the address. */
  verified: z.boolean().nullish(),
  firstname: name,
  lastname: name,
  roles: roles.nullish(),
  /** As the other system stores it; without one the user sets a password by a reset. */
  password_hash: z.string().max(userImport.hashCharsMax).nullish(),
  /** The user's id in the other system. */
  external_id: z.string().min(1).max(userImport.externalIdCharsMax).nullish(),
  /** RFC 3339; when the account was made there. */
  created_at: z
    .string()
    .refine((text) => instant(text) !== undefined, 'expected an RFC 3339 time')
    .nullish(),
});

export type ImportRow = z.output<typeof importRow>;

export const importRequest = z.strictObject({ users: z.array(importRow).min(1).max(userImport.rowsMax) });

const rowReply = z.object({
  /** Its number in the body, from 1 on. */
  row: z.int(),
  email: z.string().nullable(),
  result: z.enum(['imported', 'exists', 'refused']),
  /** Of the imported or the existing user. */
  id: z.string().optional(),
  /** Why it was refused. */
  code: z
    .enum(['bad_row', 'hash_refused', 'too_many_hash_forms', 'undeclared_role', 'scope_exceeds_authority'])
    .optional(),
  error: z.string().optional(),
});

export type RowAnswer = z.output<typeof rowReply>;

export const importReply = z.object({
  imported: z.int(),
  existing: z.int(),
  refused: z.int(),
  rows: z.array(rowReply),
});

export type ImportAnswer = z.output<typeof importReply>;
