/** Bodies of users' logins. Spec: docs/contract/identity-users.md §1. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { newPassword } from '../password-shape.ts';

const { identity } = limits;

/** No user has a longer login. There is no other rule: the answer must not distinguish a malformed login from an unknown one. */
export const login = z.string().min(1).max(identity.emailCharsMax);
/** A password at a login: one that was accepted once stays acceptable when the rule for new ones changes. */
const shownPassword = z.string().min(1).max(identity.passwordCharsMax);
const token = z.string().min(1).max(identity.userSecretCharsMax);
export const otp = z.string().max(identity.otpCharsMax).nullish();

export const loginRequest = z.object({ login, password: shownPassword, otp });
export const refreshRequest = z.object({ refresh_token: token });
export const logoutRequest = z.object({ refresh_token: token.nullish() });
export const addressRequest = z.object({ login });
export const confirmRequest = z.object({ token, password: newPassword });
export const consumeRequest = z.object({ token, otp });

/** What a login gives (RFC 6749 §5.1). */
const tokens = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  refresh_token: z.string(),
  session_id: z.string().optional(),
});

/** The same at the console, whose refresh token is in a cookie. */
const withCookie = tokens.omit({ refresh_token: true });

/** The same where both tokens are in cookies. */
const inCookies = z.object({ expires_in: z.int(), session_id: z.string().optional() });

export const tokenReply = z.union([tokens, withCookie, inCookies]);

export type TokenBody = z.output<typeof tokens>;
export type TokenReply = z.output<typeof tokenReply>;

export const okReply = z.object({ ok: z.literal(true) });
export type OkReply = z.output<typeof okReply>;
