/** Answers as server-sent events, as the GraphQL over SSE protocol has them in its mode of distinct connections. Pure. */
import type { GraphQLAnswer } from './answer.ts';

export const COMPLETE = 'event: complete\ndata:\n\n';

/** JSON has no line break, and so fits one `data` line. */
export const nextEvent = (answer: GraphQLAnswer): string => `event: next\ndata: ${JSON.stringify(answer)}\n\n`;

/** The whole stream of a query, a mutation, or what cannot be run. */
export const onlyEvent = (answer: GraphQLAnswer): string => nextEvent(answer) + COMPLETE;
