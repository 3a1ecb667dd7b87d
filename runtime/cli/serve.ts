/** `skep -f <file>`, `skep identity -f <file>`: serves the node until a signal ends it. */
import type { Log } from '#actors/host/activation.ts';
import type { ListenerName } from '#config/defaults.ts';
import { definitionFiles } from '#config/definitions/source.ts';
import { durationMs } from '#config/values/duration.ts';
import type { Platform } from '#config/platform.ts';
import { areLeftInDatabase, MEND_LOST, submissionsLost } from '#runtime/cluster/submissions.ts';
import { openControl } from '#runtime/control.ts';
import { startNode, type Node, type NodeOptions } from '#runtime/node.ts';
import { threadLogger } from '#runtime/observe/thread-logger.ts';
import { serviceManager } from '#runtime/service-manager.ts';
import { endOnUncaught, endWhileStarting, handleSignals } from '#runtime/signals.ts';
import { refuseMissingFiles } from './named-files.ts';

export interface ServeOptions {
  /** A service of the node that runs without the others. */
  readonly alone?: ListenerName;
  /** False: tenants of the file that are not provisioned are no news. */
  readonly tellsAbsent?: boolean;
}

/** Starts the node, or one service of it `alone`, with its control socket and signals; resolves when it accepts requests. */
export async function serve(platform: Platform, options: ServeOptions = {}): Promise<Node> {
  refuseMissingFiles(platform);
  const log = threadLogger(platform, 'node');
  let serving: Serving | null = null;
  const started = endWhileStarting(log, async () => serving?.stop());
  await endOnUncaught(log);
  serving = new Serving(platform, options, log, await serviceManager(process.env));
  return serving.start(() => {
    // The handlers of the start go last: a signal that came while there is none would be lost.
    handleSignals({ log, rotate: () => serving.rotate(), stop: () => serving.stop() });
    started();
  });
}

const NO_DOORS = (): Promise<void> => Promise.resolve();

/** One node after another: one that has handed over to another node waits as its standby. */
class Serving {
  readonly #platform: Platform;
  readonly #options: ServeOptions;
  readonly #log: Log;
  readonly #manager: Awaited<ReturnType<typeof serviceManager>>;
  #node: Node | null = null;
  #closeControl: () => Promise<void> = () => Promise.resolve();
  /** Of a node that stands by. */
  #closeDoors: (noticeMs: number) => Promise<void> = NO_DOORS;
  #stopping: Promise<void> | null = null;
  #isEnding = false;

  constructor(
    platform: Platform,
    options: ServeOptions,
    log: Log,
    manager: Awaited<ReturnType<typeof serviceManager>>,
  ) {
    this.#platform = platform;
    this.#options = options;
    this.#log = log;
    this.#manager = manager;
  }

  /** `started` is called before anything says that the node serves: who reads that may send a signal at once. */
  async start(started: () => void = () => undefined): Promise<Node> {
    const { alone, tellsAbsent = true } = this.#options;
    const [platform, log, manager] = [this.#platform, this.#log, this.#manager];
    const told: NodeOptions = {
      onDoors: (close) => void (this.#closeDoors = close),
      onStandby: (serving) => manager.ready(`standing by: ${serving} serves`),
      onHandOver: (heir) => void this.#handOver(heir),
    };
    const node = await startNode(platform, { ...told, ...(alone !== undefined && { alone }) });
    this.#node = node;
    this.#closeControl = await openControl(platform.storage.dir, node);
    started();
    if (tellsAbsent) warnOfAbsent(platform, node, log);
    if (alone === undefined || alone === 'intake') warnOfNoForms(platform, log);
    warnOfLostForms(platform, log);
    log.info({ listeners: node.listeners, tenants: node.tenants().length }, 'serving');
    manager.ready(`serving ${node.tenants().length} tenants`);
    return node;
  }

  async rotate(): Promise<void> {
    await this.#node?.rotate();
  }

  /** For good. A node that waits has its doors to close, and nothing else. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    this.#manager.stopping();
    await this.#stopped();
  }

  #stopped(): Promise<void> {
    return (this.#stopping ??= this.#stopNode());
  }

  async #stopNode(): Promise<void> {
    const node = this.#node;
    this.#node = null;
    node?.endOrders();
    await this.#closeControl();
    const noticeMs = durationMs(this.#platform.gateway.drain_notice);
    await (node === null ? this.#closeDoors(noticeMs) : node.stop(noticeMs));
  }

  /** As a stop and a start do, in one process: all threads end, and the directory is given up and taken again. */
  async #handOver(heir: string): Promise<void> {
    this.#log.info({ heir }, 'handing over: an operator wants another node to serve, and this one becomes its standby');
    try {
      await this.#stopped();
      if (this.#isEnding) return;
      this.#stopping = null;
      this.#closeControl = () => Promise.resolve();
      this.#closeDoors = NO_DOORS; // those of the node that has handed over are closed
      await this.start();
    } catch (error) {
      this.#log.error({ err: error }, 'the node did not become a standby: it ends, to be started again');
      process.exit(1);
    }
  }
}

/** Serving creates no tenant: the operator learns of a missing provisioning before callers do. */
function warnOfAbsent(platform: Platform, node: Node, log: Log): void {
  const active = new Set(node.tenants().flatMap(({ state, position }) => (state === 'active' ? [position.key] : [])));
  const tenants = platform.hives.tenant.map(({ key }) => key).filter((key) => !active.has(key));
  if (tenants.length > 0)
    log.warn(
      { tenants },
      'these tenants are not provisioned, so they are not served: skep tenant provision -f … --tenant …',
    );
}

/** Where submissions are lost with the machine, or lie in a database that this node does not look at. */
function warnOfLostForms(platform: Platform, log: Log): void {
  const lost = submissionsLost(platform);
  if (lost !== null) log.warn({ mend: MEND_LOST }, `${lost}, and are lost with it`);
  areLeftInDatabase(platform).then(
    (areLeft) => {
      if (areLeft) log.warn({ mend: MEND_LOST }, LEFT_IN_DATABASE);
    },
    () => undefined, // a database that does not answer is told of by the log
  );
}

const LEFT_IN_DATABASE =
  'the database of the log has submissions of forms, too, which this node neither serves nor delivers: its file has them lie on the machine';

/** Without forms every submission is answered 404, which only the submitting callers would notice. */
function warnOfNoForms({ intake }: Platform, log: Log): void {
  const { dir } = intake.forms;
  const { found, files } = definitionFiles(dir);
  if (files.length > 0) return;
  const mend = 'put one file <form>.yaml for each form there, or set intake.forms.dir';
  const what = found ? 'the directory holds no form' : 'there is no such directory';
  log.warn({ dir, mend }, `no form is served, every submission is answered 404: ${what}`);
}
