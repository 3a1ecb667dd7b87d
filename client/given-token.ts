/** A bearer that the program brings: a service token, or one that another part of it looks after. */
import type { Credential } from './transport.ts';

/** A token, or a function that gives one; it is asked again once when the node refuses the last. */
export type TokenSource = string | (() => string | Promise<string>);

export function givenToken(source: TokenSource): Credential {
  let held: string | null = null;
  const ask = async (): Promise<string> => (held = typeof source === 'string' ? source : await source());
  return {
    get held() {
      return held;
    },
    bearer: async () => held ?? ask(),
    renew: async (stale) => {
      const token = await ask();
      return token === stale ? null : token;
    },
  };
}
