/** What operators ask about the keys that sign URLs. */
import type { Work } from '../work.ts';
import { rotateKeys } from './keys.ts';

/** The ask of one service: a new key from the next URL on. `ends`: URLs that are out end too; else they are valid until their own time. */
export const urlKeyAsks = (service: string) => ({
  'url_key.rotate': (work: Work, { ends }: { readonly ends: boolean }) => {
    const key = rotateKeys(work, service, ends);
    work.record(work.event({ action: 'url_key.rotate', target: service, outcome: 'ok', data: { key, ends } }));
    return { service, key, urls_end: ends };
  },
});
