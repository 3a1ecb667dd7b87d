/** The handler of each route of proofs. To begin one changes nothing: it is no event. */
import type { Handlers } from '#actors/host/service.ts';
import type { Identity } from '../identity.ts';
import { toldLater } from '../told.ts';
import { beginProof } from './begin-proof.ts';
import { giveProof } from './give-proof.ts';
import type { proofRoutes } from './routes.ts';

export function proofHandlers(identity: Identity): Handlers<typeof proofRoutes> {
  return {
    beginProof,
    giveProof: (call) => toldLater(identity, call, 'proof', async () => giveProof(identity, call)),
  };
}
