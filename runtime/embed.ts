/**
 * The module that the package `skep` exports: a node inside of a program of one's own. Its types name no other file, so that its declarations
 * stand alone. A caller has what an operator has: it may do everything with the node that the command line may. docs/package.md shows a
 * program, and says what a node costs its process.
 */
import { withCredentials } from '#config/credentials.ts';
import { loadPlatform as load } from '#config/load.ts';
import type { Platform as CheckedPlatform } from '#config/platform.ts';
import { renderProblems } from '#config/problem.ts';
import { durationMs } from '#config/values/duration.ts';
import { openControl } from './control.ts';
import { startNode as start, type Node } from './node.ts';

export interface LoadOptions {
  /** The variables that `${NAME}` in the file, `SKEP_DATA` and `SKEP_PORT_BASE` are taken from; those of the process unless given. Credentials of systemd add to them. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Dotted keys of the file that outrank it, as `--set` of the command line: `{ 'log.level': 'warn' }`. */
  readonly set?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  /** The base of relative paths outside of the file, such as `.skep`; the process's directory unless given. */
  readonly cwd?: string;
}

/** A checked configuration: only `loadPlatform` makes one. */
export interface Platform {
  /** The file that it came from. */
  readonly file: string;
  /** The data directory, absolute. One node at a time may have it open. */
  readonly dataDir: string;
  /** Keys of the tenants that the file names: `customer:product:env:tenant`. */
  readonly tenants: readonly string[];
}

/** What is wrong in a platform file, where, and how to mend it. */
export interface PlatformProblem {
  readonly file: string;
  /** From 1; 0 where a variable or an option is wrong. */
  readonly line: number;
  readonly column: number;
  /** The key, such as `gateway.bind`; empty for the whole file. */
  readonly path: string;
  readonly message: string;
  readonly mend: string;
}

/** A platform file that cannot be served. Its message lists all problems. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly problems: readonly PlatformProblem[];

  constructor(problems: readonly PlatformProblem[]) {
    super(renderProblems(problems).trimEnd());
    this.problems = problems;
  }
}

export interface ProvisionOptions {
  /** Makes this person the administrator of the tenant. The password is that of a new account: an account of this e-mail that exists keeps its own. */
  readonly admin?: { readonly email: string; readonly password: string };
}

export interface ProvisionReport {
  readonly tenant: string;
  /** Schema steps that this call applied, each as a JSON object. */
  readonly steps: readonly string[];
}

/** A node that serves. */
export interface RunningNode {
  /** The URL of each open listener: `gateway`, `operations`, … */
  readonly addresses: Readonly<Record<string, string>>;
  /**
   * Registers a tenant whose product the platform file names, applies its schema and lets it serve the definitions of its checkout. Can be
   * repeated. Rejects, with the reason in words, where the file names no such product or its definitions cannot be applied to what is stored.
   */
  provision(tenant: string, options?: ProvisionOptions): Promise<ProvisionReport>;
  /** As SIGHUP does for `skep -f`: log files are opened again, and certificates, root keys and policies are read again. */
  rotate(): Promise<void>;
  /**
   * Answers the requests under way, makes everything durable and releases the directory. For `noticeMs` before (`gateway.drain_notice` of the
   * file unless given), readiness answers 503 while requests are still taken. Later calls wait for the first.
   */
  stop(noticeMs?: number): Promise<void>;
}

/** What a program is told of a node on a log in a database, where several nodes wait for one place (docs/how-to/managed-database.md). */
export interface StartOptions {
  /** Another node, which is named, serves the log: this one waits, and `startNode` resolves when it has the place. Called again where it is another one. */
  readonly onStandby?: (serving: string) => void;
  /**
   * `skep cluster drain` wants the node to hand over to another one, which is named. The program stops it, which gives the place up, and may start it again behind that, as the standby: `await node.stop();
   * await startNode(platform, options)`. Called once. Without it the node serves on, and the command says so after its time. What it throws is an uncaught exception of the program.
   */
  readonly onHandOver?: (node: RunningNode, heir: string) => void;
}

/** What each platform stands for: an object that another made is not one. */
const checked = new WeakMap<Platform, CheckedPlatform>();

/** Reads and checks a platform file. Throws a PlatformError with every problem in it. */
export function loadPlatform(file: string, { env = process.env, set = {}, cwd }: LoadOptions = {}): Platform {
  const loaded = load(file, { env: withCredentials(env), flags: set, ...(cwd === undefined ? {} : { cwd }) });
  if ('problems' in loaded) throw new PlatformError(loaded.problems);
  const { platform } = loaded;
  const tenants = platform.hives.tenant.map(({ key }) => key);
  const given = Object.freeze({ file, dataDir: platform.storage.dir, tenants: Object.freeze(tenants) });
  checked.set(given, platform);
  return given;
}

/**
 * Starts a node in this process and resolves when it accepts requests, which on a log that another node serves may take long; the operator's verbs of the command line reach it. Handles no signals.
 * Rejects, with the reason in words, where another node has the directory open, a port is taken, or a file cannot be read. A node that cannot
 * go on (the disk refuses a sync, a thread falls again and again) ends the process with exit code 70, so that what supervises it starts it again.
 */
export async function startNode(platform: Platform, options: StartOptions = {}): Promise<RunningNode> {
  const given = checked.get(platform);
  if (given === undefined) throw new TypeError('startNode takes what loadPlatform gave');
  const { onStandby, onHandOver } = options;
  const told = Promise.withResolvers<string>();
  const node = await start(given, {
    ...(onStandby !== undefined && { onStandby }),
    ...(onHandOver !== undefined && { onHandOver: told.resolve }),
  });
  try {
    const embedded = running(given, node, await openControl(given.storage.dir, node));
    // Not from within the beat that brings the word: what the program throws must not pass for a fault of the node.
    void told.promise.then((heir) => onHandOver?.(embedded, heir));
    return embedded;
  } catch (error) {
    await node.stop();
    throw error;
  }
}

function running(platform: CheckedPlatform, node: Node, closeControl: () => Promise<void>): RunningNode {
  let stopped: Promise<void> | null = null;
  const stop = async (noticeMs: number): Promise<void> => {
    await closeControl();
    await node.stop(noticeMs);
  };
  return {
    addresses: node.listeners,
    provision: async (tenant, { admin } = {}) => {
      const { steps } = await node.provision(tenant, admin === undefined ? {} : { admin });
      return { tenant, steps };
    },
    rotate: () => node.rotate(),
    stop: (noticeMs = durationMs(platform.gateway.drain_notice)) => (stopped ??= stop(noticeMs)),
  };
}
