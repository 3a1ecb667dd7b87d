/** `skep agent doctor`: checks everything that an agent needs, one by one, each with a way to mend it. */
import { accessSync, constants, statSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentFiles, NodeIdentity } from './identity-file.ts';
import { isServed } from './is-served.ts';
import { badgeOf } from './papers.ts';
import { loadPeerCalls, peerOf } from './peer.ts';
import { runMark } from './process-facts.ts';
import { callsOf } from './run-agent.ts';
import type { AgentSettings } from './settings.ts';

export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

const CLOCK_MS_MAX = 30_000;

/** All findings, in the order in which an agent would meet them. */
export async function examine(files: AgentFiles, socket: string, nowMs: number): Promise<Finding[]> {
  const settings = files.settings();
  const identity = files.identity();
  const findings = [stateOf(files, settings, identity), ...(identity === null ? [] : [lifeOf(identity, nowMs)])];
  findings.push(await kernelOf());
  findings.push(privilegeOf());
  if (settings !== null && identity !== null) findings.push(...(await vaultOf(settings, identity, nowMs)));
  findings.push(await socketOf(socket));
  return findings;
}

function stateOf(files: AgentFiles, settings: AgentSettings | null, identity: NodeIdentity | null): Finding {
  const check = 'state';
  if (settings === null || identity === null)
    return { check, ok: false, detail: `${files.dir} holds no identity: join with skep agent init` };
  try {
    accessSync(files.dir, constants.W_OK);
  } catch {
    return { check, ok: false, detail: `${files.dir} cannot be written: renewals need it` };
  }
  const open = (statSync(join(files.dir, 'identity.json')).mode & 0o077) !== 0;
  return {
    check,
    ok: !open,
    detail: open ? `${files.dir}/identity.json can be read by other users: chmod 600` : files.dir,
  };
}

function lifeOf({ not_after, refresh_expires_at }: NodeIdentity, nowMs: number): Finding {
  const isAlive = nowMs < Date.parse(not_after);
  const detail = isAlive
    ? `until ${not_after}, refresh until ${refresh_expires_at}`
    : `expired ${not_after}: join again with skep agent init`;
  return { check: 'identity', ok: isAlive, detail };
}

/** Whether the kernel identifies peers as attestation needs it: tried on a socket of our own. */
async function kernelOf(): Promise<Finding> {
  const check = 'peer credentials';
  const path = join(tmpdir(), `skep-doctor-${process.pid}.sock`);
  const server = createServer();
  try {
    const c = await loadPeerCalls();
    const [peerSocket, own] = await new Promise<[Socket, Socket]>((resolve, reject) => {
      server.on('error', reject);
      server.listen(path, () => {
        const client = connect(path);
        client.on('error', reject);
        server.on('connection', (accepted: Socket) => resolve([accepted, client]));
      });
    });
    const peer = peerOf(c, peerSocket);
    const ok = peer !== null && peer.pid === process.pid && peer.alive() && (await runMark(peer.pid)) !== null;
    peer?.close();
    own.destroy();
    peerSocket.destroy();
    return {
      check,
      ok,
      detail: ok
        ? 'SO_PEERCRED and pidfd work'
        : 'the kernel does not identify the peers of a socket: Linux 6.5 or newer is needed',
    };
  } catch (error) {
    return { check, ok: false, detail: (error as Error).message };
  } finally {
    server.close();
  }
}

/** Only root may read the executables of other users' processes. */
function privilegeOf(): Finding {
  const isRoot = process.getuid?.() === 0;
  const detail = isRoot
    ? 'root'
    : 'not root, so selectors by path or hash of other users’ processes never match: run the agent as root';
  return { check: 'privilege', ok: isRoot, detail };
}

async function vaultOf(settings: AgentSettings, identity: NodeIdentity, nowMs: number): Promise<Finding[]> {
  const calls = callsOf(settings);
  try {
    const answer = await calls.send('GET', '/workload/identities', badgeOf(identity));
    const drift = Math.abs(Date.parse(String(answer.headers['date'])) - nowMs);
    const ok = answer.status === 200;
    const detail = ok
      ? `${settings.vault} knows this node`
      : `${settings.vault} answers ${answer.status}: ${answer.body.toString('utf8').slice(0, 200)}`;
    const isSane = !(drift > CLOCK_MS_MAX);
    const clock = isSane ? 'as the vault’s' : `${Math.round(drift / 1000)} s from the vault’s: set it`;
    return [
      { check: 'vault', ok, detail },
      { check: 'clock', ok: isSane, detail: clock },
    ];
  } catch (error) {
    return [{ check: 'vault', ok: false, detail: (error as Error).message }];
  } finally {
    calls.close();
  }
}

async function socketOf(path: string): Promise<Finding> {
  const ok = await isServed(path);
  return { check: 'socket', ok, detail: ok ? path : `no agent serves ${path}: start one with skep agent run` };
}
