/** Bodies of signing in with a provider. Spec: decisions.md "Identity" (OAuth). */
import { z } from 'zod';

export const startReply = z.object({ authorization_url: z.string() });
