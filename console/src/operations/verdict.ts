/** Whether the node is well, in one line, and why. Pure. */
import type { Words } from '../words/en.ts';
import type { Health } from '../node/answers.ts';

export interface Reason {
  readonly key: string;
  readonly text: string;
  readonly since: string | null;
}

export interface Verdict {
  readonly kind: 'well' | 'less' | 'down';
  readonly reasons: readonly Reason[];
}

export function verdictOf(health: Health, { operations }: Words): Verdict {
  const said = { draining: operations.draining, no_host: operations.noHost, degraded: operations.degraded };
  const reasons: Reason[] = [
    ...health.reasons.map((reason) => ({ key: reason, text: said[reason], since: null })),
    ...health.threads
      .filter(({ state }) => state !== 'serving')
      .map(({ name, state, since }) => ({ key: `thread ${name}`, text: `${name}: ${operations[state]}`, since })),
    ...health.degraded.map(({ scope, name, reason, since }) => ({
      key: `${scope} ${name} ${reason}`,
      text: `${scope} ${name}: ${reason}`,
      since,
    })),
    ...diskOf(health, operations),
    ...copyOf(health, operations),
  ];
  if (health.degraded_more > 0)
    reasons.push({ key: 'more', text: `${health.degraded_more} ${operations.more}`, since: null });
  return { kind: !health.ready ? 'down' : reasons.length > 0 ? 'less' : 'well', reasons };
}

function diskOf({ disk }: Health, words: Words['operations']): Reason[] {
  const { free_bytes: free, free_bytes_min: least } = disk;
  return free !== null && free < least ? [{ key: 'disk', text: words.diskLow, since: null }] : [];
}

function copyOf({ journal_copy: copy }: Health, words: Words['operations']): Reason[] {
  const failed = copy?.failed ?? null;
  return failed === null ? [] : [{ key: 'copy', text: `${words.copyFailed} ${failed}`, since: null }];
}
