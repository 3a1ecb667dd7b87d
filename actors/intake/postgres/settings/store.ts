/** Where the database of submissions is, and how its word counts. */
import type { SubmissionsOptions } from '#storage/submissions/postgres.ts';

/** All but what a caller does while it does not answer. */
export type DatabaseSettings = Omit<SubmissionsOptions, 'pause'>;
