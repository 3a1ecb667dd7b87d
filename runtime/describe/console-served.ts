/** Which routes of a tenant's data the console's listener has, for a page that says of the others that a shell asks them. */
import { isForConsole } from '#runtime/console/console-routes.ts';
import type { ServiceRows } from '#runtime/route-directory.ts';

/** `console/src/requests/served-routes.ts`; templates as OpenAPI has them. */
export function consoleServed(services: readonly ServiceRows[]): string {
  const rows = services.find(({ name }) => name === 'data')!.routes;
  const served = Object.values(rows)
    .filter((row) => isForConsole({ service: 'data', row }, true))
    .flatMap(({ methods, path }) => methods.map((method) => `${method} ${path.replace('*}', '}')}`));
  return `/** Routes of a tenant's data that the console's listener has (runtime/console/console-routes.ts). Made by \`npm run generate\`. */
export const SERVED: readonly string[] = [
${[...new Set(served)]
  .toSorted()
  .map((one) => `  '${one}',`)
  .join('\n')}
];
`;
}
