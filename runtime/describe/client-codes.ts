/** The codes of refusals as a type of the client: a comparison with a code that does not exist is a compile error. */
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
