/** What an operation of the envelope may do. A file of its own, for the shapes that the door imports name it too. */
export const ACTIONS = ['create', 'update', 'delete', 'restore', 'upsert'] as const;
export type Action = (typeof ACTIONS)[number];
