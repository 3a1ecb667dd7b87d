/** What is shown of the node is of this moment, and for its reader alone. */
export const UNKEPT = { 'Cache-Control': 'no-store' } as const;
