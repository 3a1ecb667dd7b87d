/** Bodies of the vault. Source: docs/contract/vault.md §2, §4. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { BodyOf } from '#actors/protocol/body.ts';

const state = z.enum(['active', 'inactive', 'deleted', 'destroyed']);
const encoding = z.enum(['utf8', 'base64']);

export const newSecretShape = z.strictObject({
  value: z.string(),
  /** How `value` is written; text unless it says otherwise. */
  encoding: encoding.default('utf8'),
  /** The version that must be the newest, 0 for a name without any. */
  cas: z.int().min(0).optional(),
});
export type NewSecret = z.output<typeof newSecretShape>;

export const writtenShape = z.object({
  name: z.string(),
  version: z.int(),
  state,
  created_at: z.string(),
  updated_at: z.string(),
});

export const secretShape = writtenShape.extend({ value: z.string(), encoding });

export type Secret = BodyOf<typeof secretShape>;

export const versionsShape = z.object({
  name: z.string(),
  latest: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
  versions: z.array(
    z.object({
      version: z.int(),
      state,
      created_at: z.string(),
      created_by: z.string(),
      deleted_at: z.string().optional(),
    }),
  ),
  count: z.int(),
});

export const namesShape = z.object({ names: z.array(z.string()), count: z.int(), next: z.string().nullable() });
export const deletedShape = z.object({
  name: z.string(),
  latest: z.int(),
  updated_at: z.string(),
  versions: z.array(z.int()),
});

export const sealShape = z.object({
  sealed: z.boolean(),
  kind: z.enum(['key', 'shamir', 'none']),
  initialized: z.boolean(),
  term: z.int().nullable(),
  threshold: z.int().optional(),
  shares: z.int().optional(),
  progress: z.int().optional(),
});

export type ShownSeal = BodyOf<typeof sealShape>;

export const initShape = z.strictObject({
  shares: z.int().min(2).max(limits.vault.sharesMax),
  threshold: z.int().min(2).max(limits.vault.sharesMax),
});
export const sharesShape = z.object({ shares: z.array(z.string()), threshold: z.int() });
export const shareShape = z.strictObject({ share: z.string().min(1).max(limits.vault.nameCharsMax) });

export const rotatedShape = z.object({ tenant: z.string(), term: z.int() });

export const statusShape = z.object({
  version: z.string(),
  sid: z.string(),
  datacenter: z.string(),
  cluster: z.string(),
  mode: z.string(),
  profile: z.string(),
  ready: z.boolean(),
  reasons: z.array(z.string()),
  backend: z.object({ kind: z.string(), reachable: z.boolean(), revision: z.int().nullable() }),
  seal: sealShape,
  audit: z.object({ required: z.boolean(), pending: z.int(), dropped: z.int() }),
  policies: z.int(),
});

export const readyShape = z.object({ ready: z.literal(true) });
export const notReadyShape = z.object({ ready: z.literal(false), reasons: z.array(z.string()) });
