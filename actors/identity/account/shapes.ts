/** Bodies of accounts. Unknown members are refused, but for the sign-up's: a misspelt `refresh_token` would end a login that was to go on. Spec: docs/contract/identity-users.md §8. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { captchaAnswers } from '../captcha/shapes.ts';
import { languageTag } from '#config/definitions/mails.ts';
import { newPassword } from '../password-shape.ts';
import { shownPurpose } from '../session/shapes.ts';

const { identity, account } = limits;

const email = z.email().max(identity.emailCharsMax);
const name = z.string().max(identity.nameCharsMax).nullish();
const token = z.string().min(1).max(identity.userSecretCharsMax);

export const signUpRequest = z.object({ email, ...captchaAnswers });
export const confirmAccountRequest = z.strictObject({ token, password: newPassword, firstname: name, lastname: name });

export const inviteRequest = z.strictObject({
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

/** A password that is shown, not set. */
const shownPassword = z.string().min(1).max(identity.passwordCharsMax);

export const meReply = z.object({
  id: z.string(),
  /** Empty for a guest. */
  email: z.string(),
  guest: z.boolean(),
  /** Whether the user has shown to hold the address. */
  verified: z.boolean(),
  firstname: z.string().nullable(),
  lastname: z.string().nullable(),
  roles: z.array(z.string()),
  /** The language of mails to the user (BCP 47); null: that of each request. */
  locale: z.string().nullable(),
  allow_impersonation: z.boolean(),
  /** Whether a login asks for a second factor. */
  second_factor: z.boolean(),
  has_password: z.boolean(),
  created_at: z.string(),
});

export type Me = z.output<typeof meReply>;

const NO_LANGUAGE = 'is no language tag of BCP 47: write for example de or pt-BR';

/** In the canonical spelling, as the product's mails are named. */
const locale = z.string().transform((tag, context) => {
  const canonical = languageTag(tag);
  if (canonical === null) context.addIssue({ code: 'custom', message: NO_LANGUAGE });
  return canonical ?? z.NEVER;
});

/** Unknown members are refused: a misspelt `allow_impersonation` would leave a consent as it was. */
export const changeMeRequest = z.strictObject({
  firstname: name,
  lastname: name,
  locale: locale.nullish(),
  allow_impersonation: z.boolean().optional(),
});

export const passwordRequest = z.strictObject({
  current: shownPassword,
  password: newPassword,
  /** In a stateless tenant: the login that goes on. */
  refresh_token: token.nullish(),
});

export const emailRequest = z.strictObject({ email, password: shownPassword });
export const emailTokenRequest = z.strictObject({ token });
export const deleteMeRequest = z.strictObject({ password: shownPassword });

const ownSession = z.object({
  id: z.string(),
  /** `login` is one of a stateless tenant, which has refresh tokens instead of sessions. */
  kind: z.enum(['user', 'impersonation', 'login']),
  created_at: z.string(),
  last_seen_at: z.string().nullable(),
  expires_at: z.string(),
  ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  ended_at: z.string().nullable(),
  /** Whether it is the one of this request's token. */
  current: z.boolean(),
  impersonation: shownPurpose.extend({ operator: z.string() }).optional(),
});

export type OwnSession = z.output<typeof ownSession>;

export const ownSessionsReply = z.object({ sessions: z.array(ownSession) });
