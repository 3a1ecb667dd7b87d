/** Bodies of the administration of keys. Spec: docs/contract/identity-people.md §2. Unknown members are refused. */
import { z } from 'zod';
import { isNetwork } from '#config/bind.ts';
import { limits } from '#config/limits.ts';
import { issueRequest } from '../shapes.ts';

const { people } = limits;

const name = z.string().trim().min(1).max(people.keyNameCharsMax);
const metadata = z
  .record(z.string().min(1).max(people.keyNameCharsMax), z.string())
  .refine((map) => Object.keys(map).length <= people.keyMetadataEntriesMax, 'too many entries')
  .refine((map) => Buffer.byteLength(JSON.stringify(map)) <= people.keyMetadataBytesMax, 'too large');
const ips = z
  .array(z.string().refine(isNetwork, 'is no IP address and no CIDR range, such as 203.0.113.7 or 10.0.0.0/8'))
  .min(1)
  .max(people.keyIpsMax);

export const makeKeyRequest = z.strictObject({
  name,
  metadata: metadata.nullish(),
  service: issueRequest.shape.service,
  capabilities: issueRequest.shape.capabilities,
  expires_in_days: z.int().min(1).max(people.keyLifetimeDaysMax).nullish(),
  /** Where the key counts; null or absent: everywhere. An empty list would never count. */
  ips: ips.nullish(),
  /** How often a second it may be presented. */
  per_second: z.number().min(1).max(people.keyPerSecondMax).nullish(),
});

export const changeKeyRequest = z.strictObject({ name: name.optional(), metadata: metadata.nullish() });

const id = z.string().min(1).max(people.idCharsMax);

export const revokeKeysRequest = z
  .strictObject({ ids: z.array(id).min(1).max(people.keyIdsMax).optional(), subject: id.optional() })
  .refine(({ ids, subject }) => (ids === undefined) !== (subject === undefined), 'name either ids or a subject');

export const keyView = z.object({
  id: z.string(),
  name: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  service: z.string(),
  state: z.enum(['valid', 'expired']),
  roles: z.array(z.string()),
  scope: z.array(z.string()),
  is_superadmin: z.boolean(),
  ips: z.array(z.string()).nullable(),
  per_second: z.number().nullable(),
  created_at: z.string(),
  created_by: z.string(),
  expires_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
});

export const keyListReply = z.object({ keys: z.array(keyView), next: z.string().nullable() });
/** The only answer that holds the plaintext. */
export const madeKeyReply = keyView.extend({ key: z.string() });
export const revokedReply = z.object({ revoked: z.int() });
