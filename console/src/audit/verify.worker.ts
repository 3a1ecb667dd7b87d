/** Checks a proof in a thread of its own: what runs here has the page's answer and the key, and no way to the page's login, to the network or to a storage. */
import { verifyProof, type ProofAsk } from './verify-proof.ts';

addEventListener('message', ({ data }: MessageEvent<ProofAsk>) => {
  void verifyProof(data).then((verdict) => postMessage(verdict));
});
