/** Runs an agent: renewal of the node, identities, the socket, metrics. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseBind } from '#config/bind.ts';
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import { systemClock } from '#actors/kit/clock.ts';
import { openAgentSocket } from './agent-socket.ts';
import { forward } from './forward.ts';
import { GrpcCall, isGrpc } from './grpc.ts';
import type { AgentFiles } from './identity-file.ts';
import { AgentMeter, exposeAgent } from './meter.ts';
import { NodeRenewal } from './node-renewal.ts';
import { badgeOf } from './papers.ts';
import type { AgentSettings } from './settings.ts';
import { Standing } from './standing.ts';
import { SvidKeeper } from './svid-keeper.ts';
import { VaultCalls } from './vault-calls.ts';
import { serveWorkload } from './workload-api.ts';

export interface AgentOptions {
  readonly files: AgentFiles;
  readonly socket: string;
  /** `host:port` on which metrics are served. */
  readonly metrics: string;
  readonly log: Log;
}

export interface RunningAgent {
  stop(): Promise<void>;
}

/** The agent has no identity to run with. */
export class NotInitialised extends Error {
  constructor(dir: string) {
    super(`${dir} holds no identity of a node\n    join first: skep agent init --dir ${dir}`);
  }
}

export function callsOf({ vault, ca }: AgentSettings): VaultCalls {
  return new VaultCalls(vault, ca === null ? undefined : readFileSync(ca, 'utf8'));
}

export async function runAgent({ files, socket, metrics, log }: AgentOptions): Promise<RunningAgent> {
  const settings = files.settings();
  const identity = files.identity();
  if (settings === null || identity === null) throw new NotInitialised(files.dir);
  const calls = callsOf(settings);
  const meter = new AgentMeter();
  const clock = systemClock;
  const random = Math.random; // only spreads renewals over time: no secret depends on it
  const renewal = new NodeRenewal({ files, calls, clock, log, meter, random, later }, identity);
  const badge = () => badgeOf(renewal.identity);
  const standing = new Standing(log);
  const keeper = new SvidKeeper({ calls, badge, isAlive: () => renewal.isAlive, clock, random, meter, standing });
  const status = () => {
    const reasons = reasonsOf(renewal.isAlive, standing);
    return { healthy: reasons.length === 0, reasons, vault: standing.kind, identities: keeper.count };
  };
  const workload = {
    keeper,
    clock,
    bundle: () => new X509Certificate(renewal.identity.ca).raw,
    trustDomain: identity.trust_domain,
  };
  renewal.start();
  await keeper.refresh();
  const polling = setInterval(() => void keeper.refresh(), limits.agent.identitiesMs);
  const opened = await openAgentSocket(socket, meter, (stream, headers, peer) => {
    if (isGrpc(headers)) void serveWorkload(workload, new GrpcCall(stream, headers), peer);
    else void forward({ keeper, calls, status }, stream, headers, peer);
  });
  const scraped = await openMetrics(metrics, () =>
    exposeAgent(meter, {
      identitySeconds: (Date.parse(renewal.identity.not_after) - clock.now()) / 1000,
      isAlive: renewal.isAlive,
      standing: standing.kind,
      identities: keeper.count,
    }),
  );
  log.info({ node: identity.node_id, socket, metrics: scraped.url }, 'serving');
  return {
    stop: async () => {
      clearInterval(polling);
      renewal.stop();
      scraped.close();
      await opened.close();
      calls.close();
    },
  };
}

/** Why the agent is not healthy. An unreachable vault is no reason: issued certificates stay valid. */
function reasonsOf(isAlive: boolean, { kind, why }: Standing): string[] {
  return [
    ...(isAlive ? [] : ['the identity has expired']),
    ...(kind === 'refused' ? [`the vault refuses this node: ${why}`] : []),
  ];
}

/** A timer that may be months ahead. */
function later(ms: number, run: () => void): () => void {
  const most = 2 ** 31 - 1;
  let timer = setTimeout(
    function due() {
      if (ms <= most) run();
      else {
        ms -= most;
        timer = setTimeout(due, Math.min(ms, most));
      }
    },
    Math.min(ms, most),
  );
  return () => clearTimeout(timer);
}

/** Serves `/metrics` on an address of this machine, and nothing else. */
async function openMetrics(bind: string, text: () => string): Promise<{ url: string; close(): void }> {
  const address = parseBind(bind);
  if (address === null) throw new Error(`"${bind}" is not an address: write host:port`);
  const server = createServer((asked, answer) => {
    if (asked.url !== '/metrics') answer.writeHead(404).end();
    else answer.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${bind.slice(0, bind.lastIndexOf(':'))}:${port}/metrics`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
