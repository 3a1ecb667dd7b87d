// @ts-check
/** @import { Change } from './skep-client.js' */

/**
 * Keeps rows as the node has them, and shows all of them after each change, the oldest first. While rows that were missed come again, those of before stay. Ends
 * with the login, or once the loop's signal is aborted.
 * @template {{ readonly id: string }} R
 * @param {AsyncIterable<Change<R>>} changes of a subscription with `snapshot`
 * @param {(rows: readonly R[]) => void} show
 */
export async function keepShown(changes, show) {
  /** @type {Map<string, R>} */
  const rows = new Map();
  let isWhole = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let soon;
  const draw = () => {
    soon = undefined;
    // An id begins with the time of its row.
    if (isWhole) show([...rows.values()].sort((one, other) => (one.id < other.id ? -1 : 1)));
  };
  try {
    for await (const told of changes) {
      if (told.type === 'reset') rows.clear();
      else if (told.type === 'row') rows.set(told.row.id, told.row);
      else if (told.type === 'change' && told.op === 'gone') rows.delete(told.id);
      else if (told.type === 'change' && told.row !== null) rows.set(told.id, told.row);
      isWhole = told.type === 'snapshot' || (isWhole && told.type === 'change');
      // Changes that come together are drawn once.
      soon ??= setTimeout(draw);
    }
  } finally {
    clearTimeout(soon);
  }
}
