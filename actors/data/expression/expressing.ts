/** Which routes take `?expression=`: those whose rows declare that it can be refused. */
import type { AnyHandler, Handlers } from '#actors/host/service.ts';
import type { RouteTable } from '#actors/protocol/route.ts';
import { expressed } from './expression.ts';

/** The handlers, with the expression applied to the answers of every such route. */
export function expressing<T extends RouteTable>(rows: T, handlers: Handlers<T>): Handlers<T> {
  const entries = Object.entries(handlers as Readonly<Record<string, AnyHandler>>);
  const wrapped = entries.map(([name, handler]): [string, AnyHandler] => [
    name,
    rows[name]?.refusals.includes('v2.bad_expression') === true ? expressed(handler) : handler,
  ]);
  return Object.fromEntries(wrapped) as Handlers<T>;
}
