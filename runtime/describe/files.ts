/** Every generated file, by path. test/runtime/describe/fresh.test.ts fails when a committed file differs. */
import { defaults, LISTENER_ADDRESSES, type ListenerName } from '#config/defaults.ts';
import type { RefusalTable } from '#actors/protocol/refusal.ts';
import type { RouteTable } from '#actors/protocol/route.ts';
import { cliPage } from './cli-page.ts';
import { clientCodes, clientLimits } from './client-codes.ts';
import { consoleServed } from './console-served.ts';
import { definitionFiles } from './definition-pages.ts';
import { nodeAnswers } from './node-answers.ts';
import { openApi } from './openapi.ts';
import { refusalsPage, routesPage } from './pages.ts';
import { platformPage } from './platform-page.ts';
import { rulesPage } from './rules-page.ts';
import type { ServiceRows } from '#runtime/route-directory.ts';
import { skepVersion } from '#runtime/version.ts';

/** Path under the project → text. There is one OpenAPI file for the gateway and one for each service that has routes on a listener of its own. */
export async function generatedFiles(
  services: readonly ServiceRows[],
  door: RefusalTable,
): Promise<Map<string, string>> {
  const version = skepVersion();
  const gateway = services.map((service) => withRoutes(service, false)).filter(hasRoutes);
  const files = new Map<string, string>();
  const describe = (path: string, rows: readonly ServiceRows[], title: string, address: string) => {
    const document = openApi(rows, door, { title, version, server: `http://${address}` });
    files.set(path, `${JSON.stringify(document, null, 2)}\n`);
    return document;
  };
  const document = describe('docs/openapi.json', gateway, 'Skep', defaults.gateway.bind);
  for (const service of services.map((one) => withRoutes(one, true)).filter(hasRoutes)) {
    const address = LISTENER_ADDRESSES[service.name as ListenerName];
    describe(`docs/openapi.${service.name}.json`, [service], `Skep ${service.name}, its own listener`, address);
  }
  files.set('docs/routes.md', routesPage(services, door));
  files.set('client/codes.ts', clientCodes(services, door));
  files.set('client/limits.ts', clientLimits());
  files.set('console/src/requests/served-routes.ts', consoleServed(services));
  files.set('console/src/node/answers.ts', nodeAnswers(document));
  files.set('docs/refusals.md', refusalsPage(services, door));
  files.set('docs/reference/cli.md', await cliPage());
  files.set('docs/reference/platform-file.md', platformPage());
  files.set('docs/reference/rules.md', rulesPage());
  return new Map([...files, ...definitionFiles()]);
}

function withRoutes(service: ServiceRows, own: boolean): ServiceRows {
  const routes: RouteTable = Object.fromEntries(
    Object.entries(service.routes).filter(([, row]) => (row.listener === 'own') === own),
  );
  return { ...service, routes };
}

function hasRoutes({ routes }: ServiceRows): boolean {
  return Object.keys(routes).length > 0;
}
