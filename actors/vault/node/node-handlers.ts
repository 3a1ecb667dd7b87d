/** One handler per row of node-routes.ts. */
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import { guarded } from '../guard.ts';
import { listIdentities, registerIdentity, revokeIdentity } from '../workload/identity-verbs.ts';
import { issueJoinToken, listJoinTokens, removeJoinToken } from './join-token-verbs.ts';
import type { NodeRoutes } from './node-routes.ts';
import { decommission, farewellVerb, joinVerb, listNodesVerb, renewVerb } from './node-verbs.ts';
import type { PkiRoom } from '../pki-room.ts';
import { workloadCertificate, workloadIdentities, workloadJwt } from '../workload/workload-verbs.ts';

export function nodeHandlers(pki: PkiRoom): Handlers<NodeRoutes> {
  const by = <O>(verb: (pki: PkiRoom, call: Call) => Promise<O>) => guarded((call) => verb(pki, call));
  return {
    issueJoinToken: by(issueJoinToken),
    listJoinTokens: by(listJoinTokens),
    removeJoinToken: by(removeJoinToken),
    join: by(joinVerb),
    renew: by(renewVerb),
    decommission: by(decommission),
    listNodes: by(listNodesVerb),
    evict: by(farewellVerb('evicted')),
    ban: by(farewellVerb('banned')),
    registerIdentity: by(registerIdentity),
    listIdentities: by(listIdentities),
    revokeIdentity: by(revokeIdentity),
    workloadIdentities: by(workloadIdentities),
    workloadCertificate: by(workloadCertificate),
    workloadJwt: by(workloadJwt),
  };
}
