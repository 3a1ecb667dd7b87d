/** What stands beside Skep: something that starts, says how it is set, answers the same operation and ends. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadRequest } from '#bench/kit/load-script.ts';
import { PEERS_DIR, type Shelf } from './install.ts';

/** One side of a contest: what is sent where, and the only status that counts. */
export interface Side {
  readonly url: string;
  readonly request: LoadRequest;
  readonly expect: number;
}

export interface Running {
  /** Durability and what else decides the figures, as it was started, in words. */
  readonly settings: string;
  /** By name of the operation. */
  readonly sides: Readonly<Record<string, Side>>;
  readonly stop: () => Promise<void>;
}

export interface PeerPlace {
  /** On the disk that is measured; belongs to the peer. */
  readonly dir: string;
  /** A directory of the same disk that other users may enter. */
  readonly beside: string;
}

export interface Peer {
  readonly name: string;
  /** The folder of its packages, those that must have been compiled, and the one whose version is printed. */
  readonly shelf: Shelf;
  readonly natives?: readonly string[];
  readonly package: string;
  /** Rejects with the reason when it cannot be started here. */
  start(place: PeerPlace): Promise<Running>;
}

export function versionOf({ shelf, package: name }: Peer): string {
  try {
    const text = readFileSync(`${shelf.dir}node_modules/${name}/package.json`, 'utf8');
    return (JSON.parse(text) as { version: string }).version;
  } catch {
    return 'not installed';
  }
}

export interface Forked<T> {
  readonly ready: T;
  readonly stop: () => Promise<void>;
}

const SAID_CHARS_MAX = 2000;

/** Starts a file of the peers' folder and waits for the message in which it says where it listens. Rejects with what it printed when it ends instead. */
export async function forkPeer<T>(file: string, args: readonly string[] = []): Promise<Forked<T>> {
  const child = fork(`${PEERS_DIR}${file}`, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  let said = '';
  child.stderr!.on('data', (chunk: Buffer) => (said = (said + chunk.toString('utf8')).slice(-SAID_CHARS_MAX)));
  endWithUs(child, 'SIGKILL');
  const ended = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`it ended with ${String(code)}: ${firstError(said)}`)),
  );
  ended.catch(() => undefined);
  const [ready] = (await Promise.race([once(child, 'message'), ended])) as [T];
  return { ready, stop: () => endChild(child, () => void child.send('stop')) };
}

/** The line of a stack trace that says what is wrong, or the last line. */
export function firstError(said: string): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  return (lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? 'it said nothing').trim();
}

/** A bench that is interrupted leaves nothing behind. */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals): void {
  const kill = (): void => void child.kill(signal);
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
}

const STOP_MS_MAX = 20_000;

/** Asks it to end and waits; a peer that does not listen is killed. */
export async function endChild(child: ChildProcess, ask: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  const impatient = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  ask();
  await ended;
  clearTimeout(impatient);
}

const ANSWER_MS_MAX = 60_000;

/** Resolves once anything answers there: the server does not report that it listens. */
export async function answered(url: string): Promise<void> {
  for (const end = performance.now() + ANSWER_MS_MAX; ;) {
    try {
      await (await fetch(url)).arrayBuffer();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(20);
    }
  }
}
