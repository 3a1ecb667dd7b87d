/** What the client is told of the node when it is made: the codes of refusals as a type, so that a comparison with a code that does not exist is a compile error; limits. */
import { limits } from '#config/limits.ts';
import type { RefusalTable } from '#actors/protocol/refusal.ts';
import type { ServiceRows } from '#runtime/route-directory.ts';

/** `client/codes.ts`. Codes of bare refusals never reach a caller. */
export function clientCodes(services: readonly ServiceRows[], door: RefusalTable): string {
  const tables = [...services.map(({ refusals }) => refusals), door];
  const told = tables.flatMap((table) => Object.entries(table).filter(([, { family }]) => family !== 'bare'));
  const codes = [...new Set(told.map(([code]) => code))].sort();
  return `/** Every code that an answer of Skep may have (docs/refusals.md). Made by \`npm run generate\`. */
export type ServerCode =
${codes.map((code) => `  | '${code}'`).join('\n')};
`;
}

/** `client/limits.ts`. */
export function clientLimits(): string {
  return `/** How long a node keeps the answer to a key, in milliseconds (docs/contract/common.md §4.3). Made by \`npm run generate\`. */
export const KEY_KEPT_MS: number = ${limits.idempotency.keptMs};
`;
}
