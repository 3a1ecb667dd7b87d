/** Starts the product as people do, as a process of its own, and waits until it is ready. */
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { readDevFile, type DevFile } from './dev-file.ts';
import { ROOT } from './machine.ts';
import { leafOf } from './process-tree.ts';

export interface ServerOptions {
  readonly dataDir: string;
  readonly portBase: number;
  /** Tenant hosts; the product's default when absent. */
  readonly hosts: number | undefined;
  /** Keys of the demo's platform file that this server has otherwise: `key=value`. */
  readonly set?: readonly string[];
  /** Where each thread leaves a CPU profile when it ends. */
  readonly profileDir?: string | undefined;
  /** Added to the server's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another checkout, with a slash at its end; this one when absent. */
  readonly root?: string;
  /** `npm`: through `npm start`, as the README says. */
  readonly through?: 'launcher' | 'npm';
}

export interface Server {
  /** The node process, also behind `npm start`. */
  readonly pid: number;
  readonly dev: DevFile;
  /** SIGTERM, then waits for the end; rejects when it takes too long or does not end in peace. */
  stop(): Promise<void>;
}

const LAUNCHER = 'runtime/cli/skep';
const READY_MS_MAX = 300_000;
const STOP_MS_MAX = 60_000;
const SAID_CHARS_MAX = 4000;

/** A server that may not answer yet. */
export interface StartingServer {
  readonly child: ChildProcess;
  /** The end of what it printed. */
  readonly said: () => string;
}

/** Spawns it and returns at once. */
export function spawnServer(options: ServerOptions): StartingServer {
  const [command, args] = commandOf(options);
  const env = environmentOf(process.env, options);
  const child = spawn(command, args, { cwd: options.root ?? ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const take = (chunk: Buffer): void => void (said = (said + chunk.toString('utf8')).slice(-SAID_CHARS_MAX));
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  child.once('error', (error) => (said += error.message));
  endWithUs(child);
  return { child, said: () => said };
}

/** A bench that is interrupted leaves no server behind. */
function endWithUs(child: ChildProcess): void {
  const kill = (): void => void (hasEnded(child) || process.kill(leafOf(child.pid!), 'SIGKILL'));
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
}

/** Submissions are measured, not their buckets nor what their tenant makes of them, and writes without their audit log: the cases say so in their notes. */
const MEASURED = [
  `intake.forms.dir=${ROOT}bench/kit/forms`,
  ...['per_ip', 'per_ip_burst', 'global', 'global_burst'].map((key) => `intake.ratelimit.${key}=1000000`),
  'audit.enabled=false',
];

function commandOf({ through, hosts, root = ROOT, set = [] }: ServerOptions): [command: string, args: string[]] {
  const flags = [...MEASURED, ...set, ...(hosts === undefined ? [] : [`hosts=${hosts}`])].flatMap((key) => [
    '--set',
    key,
  ]);
  if (through !== 'npm') return [`${root}${LAUNCHER}`, ['demo', ...flags]];
  return ['npm', ['start', '--', 'demo', ...flags]];
}

/** The server's environment: nothing that npm or a profiler set for the bench itself. */
export function environmentOf(own: NodeJS.ProcessEnv, options: ServerOptions): NodeJS.ProcessEnv {
  const inherited = Object.entries(own).filter(([name]) => !name.startsWith('npm_') && name !== 'NODE_OPTIONS');
  const env = Object.fromEntries(inherited);
  env['SKEP_DATA'] = options.dataDir;
  env['SKEP_PORT_BASE'] = String(options.portBase);
  return { ...env, ...profiling(options.profileDir), ...options.env };
}

/** What makes every thread of a Node process leave its profile in a directory. */
export const profiling = (profileDir: string | undefined): NodeJS.ProcessEnv =>
  profileDir === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${JSON.stringify(profileDir)}` };

/** Starts it and waits for `readyz`; a new data directory is provisioned first, which takes some seconds. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const starting = spawnServer(options);
  try {
    const dev = await ready(starting, options);
    return { pid: leafOf(starting.child.pid!), dev, stop: () => stopServer(starting) };
  } catch (error) {
    await stopServer(starting).catch(() => undefined);
    throw error;
  }
}

async function ready(starting: StartingServer, options: ServerOptions): Promise<DevFile> {
  const end = performance.now() + READY_MS_MAX;
  while (performance.now() < end) {
    if (hasEnded(starting.child)) throw new Error(`the server did not start: ${starting.said()}`);
    const dev = readDevFile(options.dataDir);
    if (dev !== null && isOf(dev, options.portBase) && (await answers(`${dev.operations}/readyz`))) return dev;
    await sleep(20);
  }
  throw new Error(`the server was not ready after ${READY_MS_MAX / 1000} s: ${starting.said()}`);
}

/** An earlier run may have left a dev.json with other ports. */
export function isOf(dev: DevFile, portBase: number): boolean {
  return dev.operations !== '' && dev.gateway !== '' && new URL(dev.gateway).port === String(portBase);
}

export async function answers(url: string, headers: Readonly<Record<string, string>> = {}): Promise<boolean> {
  try {
    const answer = await fetch(url, { headers });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

/** Ends the node process itself: npm then ends with it. */
export async function stopServer({ child, said }: StartingServer): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  process.kill(leafOf(child.pid!), 'SIGTERM');
  const inTime = await Promise.race([ended.then(() => true), sleep(STOP_MS_MAX, false, { ref: false })]);
  if (!inTime) {
    process.kill(leafOf(child.pid!), 'SIGKILL');
    throw new Error(`the server did not end within ${STOP_MS_MAX / 1000} s of SIGTERM`);
  }
  if (child.exitCode !== 0) throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}: ${said()}`);
}
