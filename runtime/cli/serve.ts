/** `skep -f <file>`, `skep identity -f <file>`: serves the node until a signal ends it. */
import type { Log } from '#actors/host/activation.ts';
import type { ListenerName } from '#config/defaults.ts';
import { definitionFiles } from '#config/definitions/source.ts';
import { durationMs } from '#config/values/duration.ts';
import type { Platform } from '#config/platform.ts';
import { openControl } from '#runtime/control.ts';
import { startNode } from '#runtime/node.ts';
import type { Node } from '#runtime/node.ts';
import { threadLogger } from '#runtime/observe/thread-logger.ts';
import { serviceManager } from '#runtime/service-manager.ts';
import { endWhileStarting, handleSignals } from '#runtime/signals.ts';
import { refuseMissingFiles } from './named-files.ts';

export interface ServeOptions {
  /** A service of the node that runs without the others. */
  readonly alone?: ListenerName;
  /** False: tenants of the file that are not provisioned are no news. */
  readonly tellsAbsent?: boolean;
}

/** Starts the node, or one service of it `alone`, with its control socket and signals; resolves when it accepts requests. */
export async function serve(platform: Platform, { alone, tellsAbsent = true }: ServeOptions = {}): Promise<Node> {
  refuseMissingFiles(platform);
  const log = threadLogger(platform, 'node');
  const started = endWhileStarting(log);
  const manager = await serviceManager(process.env);
  const onStandby = (serving: string): void => manager.ready(`standing by: ${serving} serves`);
  const node = await startNode(platform, alone === undefined ? { onStandby } : { alone, onStandby });
  const closeControl = await openControl(platform.storage.dir, node);
  started();
  handleSignals({
    log,
    rotate: () => node.rotate(),
    stop: async () => {
      manager.stopping();
      node.endOrders();
      await closeControl();
      await node.stop(durationMs(platform.gateway.drain_notice));
    },
  });
  if (tellsAbsent) warnOfAbsent(platform, node, log);
  if (alone === undefined || alone === 'intake') warnOfNoForms(platform, log);
  log.info({ listeners: node.listeners, tenants: node.tenants().length }, 'serving');
  manager.ready(`serving ${node.tenants().length} tenants`);
  return node;
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

/** Without forms every submission is answered 404, which only the submitting callers would notice. */
function warnOfNoForms({ intake }: Platform, log: Log): void {
  const { dir } = intake.forms;
  const { found, files } = definitionFiles(dir);
  if (files.length > 0) return;
  const mend = 'put one file <form>.yaml for each form there, or set intake.forms.dir';
  const what = found ? 'the directory holds no form' : 'there is no such directory';
  log.warn({ dir, mend }, `no form is served, every submission is answered 404: ${what}`);
}
