/** Logs that are on their way from a directory of files, or back to one: no node serves them meanwhile. */
import type { ShardRow } from '#storage/log-engine/postgres/cluster.ts';

/** Owners of their shards. */
export const ADOPTING = 'skep cluster adopt';
export const LEFT = 'skep cluster leave';

/** Throws where a node must not start over the log. */
export function refuseHeld(rows: readonly Pick<ShardRow, 'owner'>[], database: string): void {
  const has = (name: string): boolean => rows.some(({ owner }) => owner === name);
  if (has(ADOPTING))
    throw new Error(
      `a directory of files is being taken over into the log in ${database}, and has not all come in\n` +
        '    go on with it: skep cluster adopt -f <file>',
    );
  if (has(LEFT))
    throw new Error(
      `the log in ${database} was left, and files acknowledge in its place\n` +
        '    set storage.journal.driver: file where skep cluster leave has ended, else run it again; a new log begins in an empty database (skep cluster init)',
    );
}
