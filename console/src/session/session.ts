/**
 * The operator's login at the control plane. Its tokens are in the memory of this page alone, never in a storage or an address: a script that got into the page later, another tab, and the next person at this
 * machine find none.
 */
import { createClient } from '@skep/client';
import { useSyncExternalStore } from 'react';

export const CONTROL_PLANE = 'superadmin:superadmin:superadmin:superadmin';

export const skep = createClient({ url: location.origin, position: CONTROL_PLANE });

const follow = (changed: () => void): (() => void) => skep.auth.onChange(changed);

/** Whether there is a login; components that ask follow it. */
export const useIsLoggedIn = (): boolean => useSyncExternalStore(follow, () => skep.auth.isLoggedIn);

const FRAGMENT = /^#login=([A-Za-z0-9_-]{43})$/;

/** The code of a login link, taken out of the address so that neither the history nor a copied address has it; null without one. */
export function takeCode(): string | null {
  const code = FRAGMENT.exec(location.hash)?.[1] ?? null;
  if (code !== null) history.replaceState(null, '', location.pathname);
  return code;
}

/** A link that is pasted into a tab with the console in it changes the fragment alone, which loads nothing: the page begins anew, and takes the code as any page does. */
export function followLinks(): void {
  addEventListener('hashchange', () => {
    if (FRAGMENT.test(location.hash)) location.reload();
  });
}

/** Throws a SkepError: 401 `invalid_credentials` where the link counts no more. */
export const enterBy = (code: string): Promise<void> =>
  skep.auth.enter({ method: 'POST', path: '/console/login', body: { code } });
