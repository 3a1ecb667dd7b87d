/** The rows of every service room, in one place: the door routes by it, OpenAPI and the documentation are generated from it. Data only, no handlers. */
import type { RefusalTable } from '#actors/protocol/refusal.ts';
import type { RouteTable } from '#actors/protocol/route.ts';

export interface ServiceRows {
  readonly name: string;
  readonly routes: RouteTable;
  readonly refusals: RefusalTable;
}

/** In the order of the documentation. A room with a routes.ts that is missing here fails test/architecture/tables.test.ts. */
export const routeDirectory: readonly ServiceRows[] = [];
