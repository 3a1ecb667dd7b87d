/** The actions of operations in the envelope. A file of its own, because the door imports shapes that name it. */
export const ACTIONS = ['create', 'update', 'delete', 'restore', 'upsert'] as const;
export type Action = (typeof ACTIONS)[number];
