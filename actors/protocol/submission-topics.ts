/** Messages about submissions that go to tenants, between main's relay and intake; the tenant's data actor gets them by `actor.ask`. */
import type { TakenSubmissions } from './submission.ts';
import { topic } from './topic.ts';

export const submissionTopics = {
  /** Submissions of these tenants, by their keys, wait durably. Sent again when the intake writer is new. */
  'submission.pending': topic<{ readonly tenants: readonly string[] }, null>({
    from: 'intake-writer',
    to: 'main',
    deadlineMs: 0,
  }),
  'submission.take': topic<{ readonly tenant: string; readonly limit: number }, TakenSubmissions>({
    from: 'main',
    to: 'intake-writer',
    deadlineMs: 60_000,
  }),
  /** The tenant has them: their entries are deleted. Answers how many others of the tenant wait. */
  'submission.settle': topic<
    { readonly tenant: string; readonly ids: readonly string[] },
    { readonly waiting: number }
  >({ from: 'main', to: 'intake-writer', deadlineMs: 60_000 }),
} as const;
