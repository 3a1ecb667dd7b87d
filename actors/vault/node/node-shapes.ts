/** Bodies of join tokens, nodes, identities and requests of agents. Source: docs/contract/vault-pki.md §5, §6. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { durationText } from '../certificate/certificate-shapes.ts';

const id = z.string().max(64);
const pem = z.string().min(1).max(limits.pki.requestBytesMax);
const token = z.string().min(1).max(128);
const word = z.string().min(1).max(63);
const reason = z.string().max(limits.node.reasonCharsMax).optional();
const page = { count: z.int(), next: z.string().nullable() };

export const newJoinTokenShape = z.strictObject({
  /** `dc=<dc>,cluster=<cluster>`. */
  scope: z.string().max(160),
  ttl: durationText.optional(),
  uses: z.int().min(1).max(limits.node.joinUsesMax).default(1),
});

const joinTokenShape = z.object({
  id,
  scope: z.string(),
  expires_at: z.string(),
  uses_max: z.int(),
  uses: z.int(),
  nodes: z.array(z.string()),
  created_at: z.string(),
  created_by: z.string(),
});
/** The text is given in the answer to its creation, and nowhere else. */
export const issuedJoinTokenShape = joinTokenShape.extend({ token: z.string() });
export const joinTokensShape = z.object({ join_tokens: z.array(joinTokenShape), ...page });
export const removedShape = z.object({ id, removed: z.literal(true) });

export const joinShape = z.strictObject({
  token,
  csr: pem,
  datacenter: word,
  cluster: word,
  name: z.string().min(1).max(limits.node.nameCharsMax),
});

export const renewShape = z.strictObject({ refresh_token: token, csr: pem });

/** What a node needs until its next renewal. */
export const papersShape = z.object({
  node_id: z.string(),
  name: z.string(),
  spiffe_id: z.string(),
  trust_domain: z.string(),
  certificate: z.string(),
  ca: z.string(),
  not_before: z.string(),
  not_after: z.string(),
  refresh_token: z.string(),
  refresh_expires_at: z.string(),
});

export const nodeShape = z.object({
  id,
  name: z.string(),
  scope: z.string(),
  state: z.enum(['active', 'evicted', 'banned']),
  reason: z.string().optional(),
  joined_at: z.string(),
  renewed_at: z.string(),
  refresh_expires_at: z.string(),
  serials: z.array(z.string()),
});
export const nodesShape = z.object({ nodes: z.array(nodeShape), ...page });
export const farewellShape = z.strictObject({ reason });

const selectors = z.strictObject({
  path: z.string().startsWith('/').max(limits.workload.pathCharsMax).optional(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'SHA-256 in lower-case hexadecimal')
    .optional(),
  uid: z.int().min(0).max(0xffffffff).optional(),
  gid: z.int().min(0).max(0xffffffff).optional(),
  unit: z.string().min(1).max(limits.workload.unitCharsMax).optional(),
});

export const newIdentityShape = z.strictObject({
  spiffe_id: z.string().max(2048),
  selectors: selectors.refine((given) => Object.values(given).some((one) => one !== undefined), {
    message: 'name at least one of path, sha256, uid, gid, unit',
  }),
  /** Its parent, one of two: the name of the only node that may issue it, or the scope of this vault for all of its nodes. */
  node: z.string().max(limits.node.nameCharsMax).optional(),
  scope: z.string().max(160).optional(),
  ttl: durationText.optional(),
});
export type NewIdentityOrder = z.output<typeof newIdentityShape>;

export const identityShape = z.object({
  id,
  spiffe_id: z.string(),
  selectors,
  scope: z.string(),
  node: z.string().nullable(),
  ttl_seconds: z.int(),
  created_at: z.string(),
  created_by: z.string(),
});
export const identitiesShape = z.object({ identities: z.array(identityShape), ...page });
export const revokedIdentityShape = z.object({ id, spiffe_id: z.string(), revoked_certificates: z.int() });

export const svidOrderShape = z.strictObject({ identity_id: id, csr: pem });
export const svidShape = z.object({
  serial: z.string(),
  spiffe_id: z.string(),
  certificate: z.string(),
  ca: z.string(),
  not_after: z.string(),
});

export const jwtSvidOrderShape = z.strictObject({
  identity_id: id,
  audience: z.array(z.string().min(1).max(limits.pki.audienceCharsMax)).min(1).max(limits.workload.audiencesMax),
});
export const jwtSvidShape = z.object({ token: z.string(), spiffe_id: z.string(), expires_at: z.string() });
