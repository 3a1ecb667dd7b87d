/** What a document may be, in each of its languages, and a delivery of a webhook. Pure. */
export const STATES = ['draft', 'published', 'archived'] as const;
export type State = (typeof STATES)[number];

export const OUTCOMES = ['waiting', 'delivered', 'refused', 'failed', 'dropped'] as const;
export type DeliveryOutcome = (typeof OUTCOMES)[number];
