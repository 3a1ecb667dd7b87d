/** What was done to a product, as audit logs have it: by a key of deploys (docs/contract/platform.md §1.10), or at the control plane by a plan (docs/contract/identity-users.md §6.1). Pure. */
import type { AuditRecord } from '../audit/shapes.ts';

export const DEPLOYS = 'auth.deploy_*.after';
export const PLANS = 'auth.tenant_plan_apply.after';

export type ChangeKind = 'sent' | 'planned' | 'applied' | 'led';

export interface Change {
  readonly id: string;
  readonly log: string;
  readonly seq: number;
  readonly at: string;
  readonly kind: ChangeKind;
  readonly actor: string;
  readonly outcome: string;
  /** The tenant that it concerns; null for a revision that was sent, which concerns none yet. */
  readonly tenant: string | null;
  readonly revision: string | null;
  readonly plan: string | null;
}

const KINDS: Readonly<Record<string, ChangeKind>> = {
  'auth.deploy_revision.after': 'sent',
  'auth.deploy_plan.after': 'planned',
  'auth.deploy_apply.after': 'applied',
  'auth.tenant_plan_apply.after': 'led',
};

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The changes among records of a log; others, as a list that was read, are none. */
export const changesOf = (log: string, records: readonly AuditRecord[]): readonly Change[] =>
  records.flatMap(({ id, seq, ts, actor, action, target, outcome, data = {} }) => {
    const kind = KINDS[action];
    if (kind === undefined) return [];
    const isSent = kind === 'sent';
    return [
      {
        id,
        log,
        seq,
        at: ts,
        kind,
        actor,
        outcome,
        tenant: isSent ? null : text(target),
        revision: isSent ? text(target) : text(data['revision']),
        plan: text(data['plan']),
      },
    ];
  });

/** Of several logs, newest first. */
export const newestFirst = (changes: readonly Change[]): readonly Change[] =>
  changes.toSorted((a, b) => (a.at === b.at ? b.seq - a.seq : a.at < b.at ? 1 : -1));
