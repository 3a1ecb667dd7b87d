/** From the checked file to the `Platform`: paths made absolute, ports and listeners decided, and the rules that span several keys. */
import { dirname, resolve } from 'node:path';
import { isNearHost, parseBind, withPort } from './bind.ts';
import { LISTENER_ADDRESSES, PORT_ORDER, defaults } from './defaults.ts';
import type { ListenerName } from './defaults.ts';
import { PORT_BASE } from './env.ts';
import { mailProblems } from './mail-problems.ts';
import { noticeProblems } from './notice-problems.ts';
import type { AuditConfig, IntakeConfig, Platform, PlatformFile } from './platform.ts';
import { problemAt } from './problem.ts';
import type { Path, Problem } from './problem.ts';
import { isReservedTenant } from './reserved-tenants.ts';
import type { Tree } from './tree.ts';

export interface Surroundings {
  readonly file: string | null;
  /** Where relative paths of flags, variables and defaults start. */
  readonly cwd: string;
  readonly cores: number;
  readonly service: 'intake' | 'audit' | null;
  /** The first port of SKEP_PORT_BASE, or null. */
  readonly portBase: number | null;
  readonly tree: Tree;
}

/** The platform of a checked file. */
export function resolvePlatform(checked: PlatformFile, around: Surroundings): Platform {
  const { listeners, hosts, jobs, storage, rates, intake, audit, ...rest } = checked;
  const dir = pathFrom(around, ['storage', 'dir'], storage.dir ?? resolve(around.cwd, defaults.storage.dir));
  const hostCount = hosts ?? Math.max(1, around.cores - 1);
  const open = openListeners(listeners, intake.http.bind, around);
  if (open.audit === null && audit.port !== undefined) open.audit = withPort(LISTENER_ADDRESSES.audit, audit.port);
  const { ipv6_prefix, ...profiles } = rates;
  return {
    ...rest,
    file: around.file,
    service: around.service,
    hives: { tenant: checked.hives.tenant.map((node, at) => ({ ...node, meta: metaFrom(around, node.meta, at) })) },
    gateway: gatewayFrom(around, checked.gateway),
    listeners: open,
    hosts: around.service === null ? hostCount : 0,
    jobs: { threads: jobs.threads ?? Math.max(hostCount, 2) },
    storage: { ...storage, dir },
    rates: { ipv6_prefix, profiles },
    intake: intakeFrom(around, intake, dir, open.intake),
    audit: auditFrom(around, audit, dir),
  };
}

/** What one key alone cannot say. */
export function crossCheck(platform: Platform, around: Surroundings): Problem[] {
  return [
    ...tenantProblems(platform, around),
    ...listenerProblems(platform, around),
    ...intakeProblems(platform, around),
    ...mailProblems(platform, around),
    ...noticeProblems(platform, around),
    ...jobProblems(platform, around),
  ];
}

/** A path of a file starts at the file; one of a flag, a variable or a default at the working directory. */
function pathFrom(around: Surroundings, path: Path, value: string): string {
  const place = around.tree.placeOf(path, 'value');
  const fromFile = around.tree.has(path) && place.line > 0;
  return resolve(fromFile ? directoryOf(around) : around.cwd, value);
}

function metaFrom(around: Surroundings, meta: PlatformFile['hives']['tenant'][number]['meta'], at: number) {
  if (meta.localdir === undefined) return meta;
  return { ...meta, localdir: pathFrom(around, ['hives', 'tenant', at, 'meta', 'localdir'], meta.localdir) };
}

function gatewayFrom(around: Surroundings, gateway: PlatformFile['gateway']): PlatformFile['gateway'] {
  const bind = portOf(around, 'gateway', ['gateway', 'bind'], gateway.bind);
  const { tls } = gateway;
  if (tls === undefined) return { ...gateway, bind };
  const cert = pathFrom(around, ['gateway', 'tls', 'cert'], tls.cert);
  return { ...gateway, bind, tls: { cert, key: pathFrom(around, ['gateway', 'tls', 'key'], tls.key) } };
}

/** SKEP_PORT_BASE outranks the file and its defaults, a flag outranks both. */
function portOf(around: Surroundings, name: (typeof PORT_ORDER)[number], path: Path, bind: string): string {
  const byFlag = around.tree.has(path) && around.tree.placeOf(path, 'value').line === 0;
  if (around.portBase === null || byFlag) return bind;
  return withPort(bind, around.portBase + PORT_ORDER.indexOf(name));
}

function openListeners(
  written: PlatformFile['listeners'],
  intakeBind: string,
  around: Surroundings,
): Record<ListenerName, string | null> {
  const entries = (Object.keys(LISTENER_ADDRESSES) as ListenerName[]).map((name) => {
    const choice =
      around.service === null ? (written[name] ?? defaults.listening.includes(name)) : name === around.service;
    if (choice === false) return [name, null];
    const own = typeof choice === 'object' ? choice.bind : undefined;
    if (name === 'intake' && own === undefined)
      return [name, portOf(around, name, ['intake', 'http', 'bind'], intakeBind)];
    return [name, portOf(around, name, ['listeners', name, 'bind'], own ?? LISTENER_ADDRESSES[name])];
  });
  return Object.fromEntries(entries) as Record<ListenerName, string | null>;
}

function intakeFrom(
  around: Surroundings,
  intake: PlatformFile['intake'],
  dataDir: string,
  bind: string | null,
): IntakeConfig {
  const under = (path: Path, value: string | undefined, fallback: string): string =>
    value === undefined ? resolve(dataDir, fallback) : pathFrom(around, ['intake', ...path], value);
  const { embedded, jsonl, logging } = intake;
  const file = under(['logging', 'file', 'path'], logging.file.path, defaults.intake.logging.file.path);
  return {
    ...intake,
    http: { ...intake.http, bind: bind ?? intake.http.bind },
    embedded: { path: under(['embedded', 'path'], embedded.path, defaults.intake.embedded.path) },
    jsonl: { ...jsonl, dir: under(['jsonl', 'dir'], jsonl.dir, defaults.intake.jsonl.dir) },
    forms: { ...intake.forms, dir: formsFrom(around, intake.forms.dir) },
    logging: { ...logging, file: { ...logging.file, path: file } },
  };
}

function auditFrom(around: Surroundings, audit: PlatformFile['audit'], dataDir: string): AuditConfig {
  const under = (path: Path, value: string | undefined, fallback: string): string =>
    value === undefined ? resolve(dataDir, fallback) : pathFrom(around, ['audit', ...path], value);
  const inService = audit.audit.base_dir;
  const base = inService === undefined ? under(['base_dir'], audit.base_dir, defaults.audit.node_dir) : '';
  const { tls } = audit;
  return {
    ...audit,
    base_dir: inService === undefined ? base : under(['audit', 'base_dir'], inService, ''),
    key_dir: under(['key_dir'], audit.key_dir, defaults.audit.key_dir),
    sync: audit.sync.map((one, at) => ({
      ...one,
      targets: one.targets.map((target, no) => ({
        ...target,
        path: pathFrom(around, ['audit', 'sync', at, 'targets', no, 'path'], target.path),
      })),
    })),
    ...(tls !== undefined && {
      tls: {
        cert: pathFrom(around, ['audit', 'tls', 'cert'], tls.cert),
        key: pathFrom(around, ['audit', 'tls', 'key'], tls.key),
      },
    }),
  };
}

/** The default directory of forms stands beside the file, where people look for it. */
function formsFrom(around: Surroundings, dir: string): string {
  const path = ['intake', 'forms', 'dir'];
  return around.tree.has(path) ? pathFrom(around, path, dir) : resolve(directoryOf(around), dir);
}

/** One pool per host, and a pool without a thread would answer nothing. */
function jobProblems({ jobs, hosts }: Platform, around: Surroundings): Problem[] {
  if (jobs.threads >= hosts) return [];
  const path = ['jobs', 'threads'];
  const message = `${jobs.threads} job threads are too few for ${hosts} hosts`;
  return [problemAt(around.tree.placeOf(path, 'value'), path, message, `give at least ${hosts}: each host needs one`)];
}

function directoryOf(around: Surroundings): string {
  return around.file === null ? around.cwd : dirname(resolve(around.cwd, around.file));
}

function tenantProblems(platform: Platform, around: Surroundings): Problem[] {
  const first = new Map<string, number>();
  const problems: Problem[] = [];
  for (const [at, { key }] of platform.hives.tenant.entries()) {
    const path = ['hives', 'tenant', at, 'key'];
    const place = around.tree.placeOf(path, 'value');
    if (isReservedTenant(key.split(':')[3]!))
      problems.push(
        problemAt(place, path, `the tenant of ${key} is reserved for a plane`, 'choose another name for the tenant'),
      );
    const before = first.get(key);
    if (before === undefined) first.set(key, at);
    else {
      const line = around.tree.placeOf(['hives', 'tenant', before, 'key'], 'value').line;
      problems.push(
        problemAt(place, path, `the tenant ${key} is listed twice`, `remove one (the other is in line ${line})`),
      );
    }
  }
  return problems;
}

function listenerProblems(platform: Platform, around: Surroundings): Problem[] {
  const problems: Problem[] = [];
  const taken = new Map<string, string>(around.service === null ? [[platform.gateway.bind, 'gateway.bind']] : []);
  for (const [name, bind] of Object.entries(platform.listeners)) {
    if (bind === null) continue;
    const path = ['listeners', name];
    const place = around.tree.placeOf(path, 'value');
    const other = taken.get(bind);
    if (other !== undefined && parseBind(bind)!.port !== 0)
      problems.push(problemAt(place, path, `${bind} is the address of ${other} too`, 'give one of them another port'));
    taken.set(bind, `listeners.${name}`);
  }
  if (around.portBase !== null && around.portBase + PORT_ORDER.length - 1 > 65_535) {
    const place = { file: `$${PORT_BASE}`, line: 0, column: 0 };
    problems.push(problemAt(place, [], `${PORT_BASE} leaves no ten ports`, 'choose at most 65526'));
  }
  return problems;
}

function intakeProblems(platform: Platform, around: Surroundings): Problem[] {
  const { intake } = platform;
  const problems: Problem[] = [];
  const say = (path: Path, message: string, mend: string): void => {
    problems.push(problemAt(around.tree.placeOf(path, 'value'), path, message, mend));
  };
  if (intake.storage.batch_max > intake.storage.queue_depth) {
    const path = ['intake', 'storage', 'batch_max'];
    say(path, 'batch_max is larger than queue_depth, so no batch can fill', 'lower it, or raise queue_depth');
  }
  const bind = platform.listeners.intake;
  if (bind !== null && intake.security.bind_gateway_only && !isNearHost(parseBind(bind)!.host)) {
    const own = ['listeners', 'intake', 'bind'];
    const path = around.tree.has(own) ? own : ['intake', 'http', 'bind'];
    say(
      path,
      `intake must not listen on ${bind}`,
      'bind a loopback or private address, or set security.bind_gateway_only: false',
    );
  }
  const both = around.tree.has(['listeners', 'intake', 'bind']) && around.tree.has(['intake', 'http', 'bind']);
  if (both)
    say(['intake', 'http', 'bind'], 'the address of intake is written twice', 'keep listeners.intake or http.bind');
  return problems;
}
