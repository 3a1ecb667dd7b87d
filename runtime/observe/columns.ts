/** Assigns columns of the metric table to threads. A thread that replaces another continues in its column. */

const FIRST_HOST = 5;

export const COLUMN = { main: 0, 'rate-keeper': 1, 'intake-writer': 2, 'vault-keeper': 3, 'audit-sealer': 4 } as const;

export function hostColumn(host: number): number {
  return FIRST_HOST + host;
}

/** Names by column. */
export function columnNames(hosts: number): string[] {
  return [...Object.keys(COLUMN), ...Array.from({ length: hosts }, (_, host) => `host-${host}`)];
}
