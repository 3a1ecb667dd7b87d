/** A proof checked in a worker that ends with its verdict. */
import type { ProofAsk, Verdict } from './verify-proof.ts';

export function verifyApart(ask: ProofAsk): Promise<Verdict> {
  return new Promise<Verdict>((resolve, reject) => {
    const worker = new Worker(new URL('./verify.worker.ts', import.meta.url), { type: 'module' });
    const end = (act: () => void): void => {
      worker.terminate();
      act();
    };
    worker.addEventListener('message', ({ data }: MessageEvent<Verdict>) => end(() => resolve(data)));
    worker.addEventListener('error', ({ message }) =>
      end(() => reject(new Error(message || 'the worker did not start'))),
    );
    worker.postMessage(ask);
  });
}
