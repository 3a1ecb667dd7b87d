/** The bound of bodies of `/auth/…` routes: small, because they are read before a credential is. */
import { limits } from '#config/limits.ts';

export const authBody = { body: 'json', bodyBytesMax: limits.identity.authBodyBytesMax } as const;
