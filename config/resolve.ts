/** From the checked file to the `Platform`: makes paths absolute, decides ports and listeners, and checks rules that involve several keys. */
import { resolve } from 'node:path';
import { isLoopback, isNearHost, parseBind } from './bind.ts';
import { LISTENER_ADDRESSES, PORT_ORDER, defaults, type ListenerName } from './defaults.ts';
import { PORT_BASE } from './env.ts';
import { directoryOf, pathFrom, portOf, type Surroundings } from './surroundings.ts';
import { backendsFrom, contentFrom, contentProblems } from './resolve-content.ts';
import { backupProblems, backupsFrom } from './resolve-backups.ts';
import { auditBind, auditFrom, auditHome, auditProblems } from './resolve-audit.ts';
import { pkiBind, vaultBind, vaultFrom, vaultProblems } from './resolve-vault.ts';
import { corsProblems } from './cors-problems.ts';
import { sitesProblems } from './sites-problems.ts';
import { consoleProblems } from './console-problems.ts';
import { tlsFrom, tlsProblems } from './resolve-tls.ts';
import { mailProblems } from './mail-problems.ts';
import { hasLog, journalFrom, journalProblems } from './journal-problems.ts';
import { clusterFrom, linkProblems } from './resolve-link.ts';
import { carryProblems } from './carry-problems.ts';
import { noticeProblems } from './notice-problems.ts';
import { telemetryProblems } from './telemetry-problems.ts';
import type { IntakeConfig, JournalConfig, Platform, PlatformFile } from './platform.ts';
import { problemAt, type Path, type Problem } from './problem.ts';
import { isReservedTenant } from './reserved-tenants.ts';

/** The platform of a checked file. */
export function resolvePlatform(checked: PlatformFile, around: Surroundings): Platform {
  const { listeners, hosts, jobs, storage, rates, intake, audit, vault, ...rest } = checked;
  const dir = pathFrom(around, ['storage', 'dir'], storage.dir ?? defaultDir(around, audit));
  const hostCount = hosts ?? Math.max(1, around.cores - 1);
  const open = openListeners(listeners, intake.http.bind, around);
  if (around.service === 'audit' || (open.audit === null && audit.port !== undefined))
    open.audit = auditBind(around, audit);
  if (around.service === 'vault' || (open.vault === null && vault.enabled)) open.vault = vaultBind(around, vault);
  if (open.pki === null && open.vault !== null && vault.enabled)
    open.pki = pkiBind(around, vault, listeners.pki !== false);
  const { ipv6_prefix, ...profiles } = rates;
  return {
    ...rest,
    file: around.file,
    service: around.service,
    hives: {
      tenant: checked.hives.tenant.map((node, at) => ({
        ...node,
        meta: metaFrom(around, node.meta, at),
        contentstores: backendsFrom(around, node.contentstores, at),
      })),
    },
    gateway: gatewayFrom(around, checked.gateway),
    listeners: open,
    console: { tenants: servesTenants(listeners.console, open.console) },
    jwks: around.service === 'audit' ? { issuers: { iam: audit.issuer }, check_audience: false } : rest.jwks,
    hosts: around.service === null ? hostCount : 0,
    jobs: { threads: jobs.threads ?? Math.max(hostCount, 2) },
    storage: {
      ...storage,
      ...markFrom(around, storage.mark),
      journal: journalFrom(around, storage.journal),
      dir,
      ...(around.service === 'audit' && { ballast_bytes: 0 }),
    }, // a full disk is reported by its logs themselves
    rates: { ipv6_prefix, profiles },
    intake: intakeFrom(around, intake, { dir, bind: open.intake, log: storage.journal }),
    audit: auditFrom(around, audit, dir),
    content: contentFrom(around, rest.content),
    backups: backupsFrom(around, rest.backups),
    cluster: clusterFrom(around, rest.cluster),
    vault: vaultFrom(around, vault, dir),
  };
}

/** Rules that involve several keys. */
export function crossCheck(platform: Platform, around: Surroundings): Problem[] {
  return [
    ...tenantProblems(platform, around),
    ...listenerProblems(platform, around),
    ...consoleProblems(platform, around),
    ...corsProblems(platform, around),
    ...sitesProblems(platform, around),
    ...tlsProblems(platform, around),
    ...storageProblems(platform, around),
    ...journalProblems(platform, around),
    ...linkProblems(platform, around),
    ...carryProblems(platform, around),
    ...intakeProblems(platform, around),
    ...auditProblems(platform, around),
    ...contentProblems(platform, around),
    ...vaultProblems(platform, around),
    ...mailProblems(platform, around),
    ...noticeProblems(platform, around),
    ...telemetryProblems(platform, around),
    ...jobProblems(platform, around),
    ...backupProblems(platform, around),
  ];
}

function markFrom(around: Surroundings, mark: string | undefined): { readonly mark?: string } {
  return mark === undefined ? {} : { mark: pathFrom(around, ['storage', 'mark'], mark) };
}

/** A mark that is restored together with the directory detects nothing. */
function storageProblems({ storage: { dir, mark } }: Platform, around: Surroundings): Problem[] {
  if (mark === undefined) return [];
  const path = ['storage', 'mark'];
  const place = around.tree.placeOf(path, 'value');
  if (around.service !== null)
    return [problemAt(place, path, 'storage.mark is for a node with tenants', 'leave it out of this file')];
  if (!`${mark}/`.startsWith(`${dir}/`)) return [];
  return [
    problemAt(
      place,
      path,
      `${mark} lies in the data directory, and would be put back with it`,
      'name a file elsewhere, on a second disk if there is one',
    ),
  ];
}

/** Everything of `skep audit` is beside its logs, and everything of a vault that runs alone beside its file, whatever the working directory. */
function defaultDir(around: Surroundings, audit: PlatformFile['audit']): string {
  if (around.service === 'audit') return auditHome(around, audit);
  return resolve(around.service === 'vault' ? directoryOf(around) : around.cwd, defaults.storage.dir);
}

function metaFrom(around: Surroundings, meta: PlatformFile['hives']['tenant'][number]['meta'], at: number) {
  if (meta.localdir === undefined) return meta;
  return { ...meta, localdir: pathFrom(around, ['hives', 'tenant', at, 'meta', 'localdir'], meta.localdir) };
}

function gatewayFrom(around: Surroundings, gateway: PlatformFile['gateway']): PlatformFile['gateway'] {
  const bind = portOf(around, 'gateway', ['gateway', 'bind'], gateway.bind);
  const { tls } = gateway;
  return tls === undefined ? { ...gateway, bind } : { ...gateway, bind, tls: tlsFrom(around, tls) };
}

/** A vault that runs alone has the metrics address of a node (docs/contract/vault.md §8.4). */
function besides({ service }: Surroundings, name: ListenerName): boolean {
  return service === 'vault' && name === 'operations';
}

function openListeners(
  written: PlatformFile['listeners'],
  intakeBind: string,
  around: Surroundings,
): Record<ListenerName, string | null> {
  const entries = (Object.keys(LISTENER_ADDRESSES) as ListenerName[]).map((name) => {
    const choice =
      around.service === null
        ? (written[name] ?? defaults.listening.includes(name))
        : name === around.service || besides(around, name);
    if (choice === false) return [name, null];
    const own = typeof choice === 'object' ? choice.bind : undefined;
    if (name === 'intake' && own === undefined)
      return [name, portOf(around, name, ['intake', 'http', 'bind'], intakeBind)];
    return [name, portOf(around, name, ['listeners', name, 'bind'], own ?? LISTENER_ADDRESSES[name])];
  });
  return Object.fromEntries(entries) as Record<ListenerName, string | null>;
}

/** Unless the file says so, the people of tenants get no further door that other machines reach. */
function servesTenants(written: PlatformFile['listeners']['console'], bind: string | null): boolean {
  if (bind === null) return false;
  const own = typeof written === 'object' ? written.tenants : undefined;
  return own ?? isLoopback(parseBind(bind)!.host);
}

function intakeFrom(
  around: Surroundings,
  intake: PlatformFile['intake'],
  { bind, dir, log }: { readonly dir: string; readonly bind: string | null; readonly log: JournalConfig },
): IntakeConfig {
  const under = (path: Path, value: string | undefined, fallback: string): string =>
    value === undefined ? resolve(dir, fallback) : pathFrom(around, ['intake', ...path], value);
  const { embedded, jsonl, logging } = intake;
  const file = under(['logging', 'file', 'path'], logging.file.path, defaults.intake.logging.file.path);
  return {
    ...intake,
    storage: { ...intake.storage, backend: backendFrom(around, intake, log) },
    http: { ...intake.http, bind: bind ?? intake.http.bind },
    embedded: { path: under(['embedded', 'path'], embedded.path, defaults.intake.embedded.path) },
    jsonl: { ...jsonl, dir: under(['jsonl', 'dir'], jsonl.dir, defaults.intake.jsonl.dir) },
    forms: { ...intake.forms, dir: formsFrom(around, intake.forms.dir) },
    logging: { ...logging, file: { ...logging.file, path: file } },
  };
}

/** On a log the database has submissions, too, unless the file says otherwise: what lies on the machine is lost with it. */
function backendFrom(
  around: Surroundings,
  { storage: { backend } }: PlatformFile['intake'],
  { driver }: JournalConfig,
): IntakeConfig['storage']['backend'] {
  const isDefault = !around.tree.has(['intake', 'storage', 'backend']);
  return driver === 'postgres' && isDefault ? 'postgres' : backend;
}

/** The default directory of forms is beside the file, where people look for it. */
function formsFrom(around: Surroundings, dir: string): string {
  const path = ['intake', 'forms', 'dir'];
  return around.tree.has(path) ? pathFrom(around, path, dir) : resolve(directoryOf(around), dir);
}

/** One pool of jobs per host: a pool without a thread would never answer. */
function jobProblems({ jobs, hosts }: Platform, around: Surroundings): Problem[] {
  if (jobs.threads >= hosts) return [];
  const path = ['jobs', 'threads'];
  const message = `${jobs.threads} job threads are too few for ${hosts} hosts`;
  return [problemAt(around.tree.placeOf(path, 'value'), path, message, `give at least ${hosts}: each host needs one`)];
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
    problems.push(
      problemAt(
        place,
        [],
        `${PORT_BASE} leaves no ${PORT_ORDER.length} ports`,
        `choose at most ${65_536 - PORT_ORDER.length}`,
      ),
    );
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
  if (intake.storage.backend === 'postgres' && !hasLog(platform)) {
    const path = ['intake', 'storage', 'backend'];
    const message = 'submissions lie in the database of the log, and there is no log';
    say(path, message, 'set storage.journal: { driver: postgres, url: … }, or backend: embedded');
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
