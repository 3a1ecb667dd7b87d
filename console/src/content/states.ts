/** What a document may be, in each of its languages. */
export const STATES = ['draft', 'published', 'archived'] as const;
export type State = (typeof STATES)[number];
