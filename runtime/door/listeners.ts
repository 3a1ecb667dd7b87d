/** Which routes each listener serves, and under which paths (docs/contract/platform.md §3). */
import { parseBind } from '#config/bind.ts';
import type { ListenerName } from '#config/defaults.ts';
import type { Platform } from '#config/platform.ts';
import type { CompiledRoute } from '#actors/host/call.ts';
import { isForConsole } from '#runtime/console/console-routes.ts';
import { gatewayTls } from './gateway-tls.ts';
import type { DoorTls, SocketPath } from './port.ts';

export interface ListenerPlan {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tls?: DoorTls;
  /** HTTP/1.0 is answered too, which only the node:http door can do. */
  readonly http10?: true;
  /** Routes by number, with the path that this listener serves them under. */
  readonly routes: readonly {
    readonly no: number;
    readonly methods: CompiledRoute['row']['methods'];
    readonly path: string;
    readonly emptyParams: boolean;
  }[];
}

/** Where a listener takes handshakes of WebSockets. */
export function socketPathsOf({ routes }: ListenerPlan, compiled: readonly CompiledRoute[]): SocketPath[] {
  return routes.flatMap(({ no, path }) => {
    const { socket } = compiled[no]!.row;
    if (socket === undefined) return [];
    const { messageBytesMax } = socket;
    const own = { at: path, path, messageBytesMax };
    return socket.above === true ? [own, { ...own, at: path.slice(0, path.lastIndexOf('/')) }] : [own];
  });
}

/** Public prefix of each service on the gateway; its own listener serves the same paths without it. */
const PREFIXES: Readonly<Record<string, string>> = {
  identity: '',
  data: '/data',
  intake: '',
  bff: '/bff',
  content: '',
  audit: '/audit',
};

/** The listeners that the platform file opens, gateway first; for a service that runs alone its own and operations. */
export function listenersOf(
  platform: Platform,
  compiled: readonly CompiledRoute[],
  alone: ListenerName | null = null,
): ListenerPlan[] {
  const routes = compiled.filter(
    ({ service }) => (service !== 'audit' && service !== 'vault') || platform[service].enabled,
  );
  const plans = alone === null ? [gateway(platform, routes)] : [];
  for (const [name, bind] of Object.entries(platform.listeners)) {
    if (bind === null || (alone !== null && name !== alone && !isBeside(name, alone))) continue;
    const own = routes.filter((route) => isServedBy(name, route, platform));
    if (name !== 'operations' && own.length === 0) continue; // no routes: the service is off
    const prefix = PREFIXES[name] ?? '';
    const old = name === 'vault' || name === 'pki' ? ({ http10: true } as const) : {};
    const plan = { name, ...address(bind), ...old, routes: own.map((route) => place(route, prefix)) };
    const tls = TLS[name]?.(platform);
    plans.push(tls === undefined ? plan : { ...plan, tls });
  }
  return plans;
}

/** The listener `pki` and the console's have routes of other services. */
function isServedBy(name: string, route: CompiledRoute, { console: { tenants } }: Platform): boolean {
  if (name === 'console') return isForConsole(route, tenants);
  return name === 'pki' ? route.row.plain === true : route.service === name;
}

/** The console shows the gateway's certificate; config/console-problems.ts says where it may do without. */
const TLS: Readonly<Record<string, (platform: Platform) => DoorTls | undefined>> = {
  audit: auditTls,
  vault: vaultTls,
  console: gatewayTls,
};

/** Whether a listener opens beside that of a service which runs alone. */
function isBeside(name: string, alone: ListenerName): boolean {
  return name === 'operations' || (name === 'pki' && alone === 'vault');
}

function gateway(platform: Platform, routes: readonly CompiledRoute[]): ListenerPlan {
  const plan = {
    name: 'gateway',
    ...address(platform.gateway.bind),
    routes: routes.filter((route) => route.row.listener !== 'own').map((route) => place(route, '')),
  };
  const tls = gatewayTls(platform);
  return tls === undefined ? plan : { ...plan, tls };
}

/** The audit listener speaks TLS only (docs/contract/audit.md §4.1): config/resolve-audit.ts has refused a file without. */
function auditTls({ audit: { tls, vault } }: Platform): DoorTls {
  const files = { keyFile: tls!.key, certFile: tls!.cert };
  return vault.ca === undefined ? files : { ...files, requestCert: true };
}

/** Operators and agents show client certificates. Only a development profile on loopback may do without TLS (config/resolve-vault.ts). */
function vaultTls({ vault: { tls } }: Platform): DoorTls | undefined {
  return tls === undefined ? undefined : { keyFile: tls.key, certFile: tls.cert, requestCert: true };
}

function place(route: CompiledRoute, prefix: string): ListenerPlan['routes'][number] {
  const path = route.row.path.startsWith(`${prefix}/`) ? route.row.path.slice(prefix.length) : route.row.path;
  return { no: route.no, methods: route.row.methods, path, emptyParams: route.row.emptyParams ?? false };
}

function address(bind: string): { host: string; port: number } {
  const parsed = parseBind(bind);
  if (parsed === null) throw new Error(`not an address: ${bind}`);
  return { host: parsed.host, port: parsed.port };
}
