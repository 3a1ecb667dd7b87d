/** Bodies of accounts. Spec: docs/contract/identity-users.md §8. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { newPassword } from '../password-shape.ts';

const { identity, account } = limits;

const email = z.email().max(identity.emailCharsMax);
const name = z.string().max(identity.nameCharsMax).nullish();
const token = z.string().min(1).max(identity.userSecretCharsMax);

export const signUpRequest = z.object({ email });
export const confirmAccountRequest = z.object({ token, password: newPassword, firstname: name, lastname: name });

export const inviteRequest = z.object({
  email,
  roles: z.array(z.string().min(1).max(identity.nameCharsMax)).max(account.invitationRolesMax),
});

export const invitationReply = z.object({
  id: z.string(),
  email: z.string(),
  roles: z.array(z.string()),
  invited_by: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
});

export type Invitation = z.output<typeof invitationReply>;

export const invitationsReply = z.object({ invitations: z.array(invitationReply), next: z.string().nullable() });
