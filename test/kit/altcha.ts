/** Solves ALTCHA's challenges with `altcha-lib`, the library of its makers: a second implementation beside our own. */
import { solveChallenge } from 'altcha-lib';
import type { AltchaChallenge } from '#actors/kit/captcha/altcha.ts';

/** The text that the widget puts into its field; `changes` go into what is encoded. */
export async function solved(challenge: unknown, changes: object = {}): Promise<string> {
  const { algorithm, challenge: hash, salt, signature, maxnumber } = challenge as AltchaChallenge;
  const found = await solveChallenge(hash, salt, algorithm, maxnumber).promise;
  if (found === null) throw new Error('the challenge has no solution');
  return encoded({ algorithm, challenge: hash, number: found.number, salt, signature, took: found.took, ...changes });
}

export const encoded = (answer: object): string => Buffer.from(JSON.stringify(answer)).toString('base64');
export const decoded = (text: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(text, 'base64').toString()) as Record<string, unknown>;
