/** What the bodies of `/auth/…` routes have in common: no credential is read before them, so they are small. */
import { limits } from '#config/limits.ts';

export const authBody = { body: 'json', bodyBytesMax: limits.identity.authBodyBytesMax } as const;
