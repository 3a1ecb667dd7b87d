/** Bodies of signing in with a provider. Spec: docs/contract/identity-users.md §2. */
import { z } from 'zod';

export const startReply = z.object({ authorization_url: z.string() });
