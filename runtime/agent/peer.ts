/**
 * The process at the other end of a Unix socket, from the kernel: SO_PEERCRED (who connected) and a pidfd (that very process, even when its number
 * is reused). unix(7), socket(7), pidfd_open(2).
 */
import type { Socket } from 'node:net';
import { loadC } from '#storage/libc.ts';

export interface Peer {
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
  /** Whether that process still runs: it has neither ended nor been waited for. */
  alive(): boolean;
  close(): void;
}

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
/** Linux 6.5. */
const SO_PEERPIDFD = 77;
const SYS_PIDFD_OPEN = 434;
const POLLIN = 1;

interface C {
  getsockopt(fd: number, level: number, name: number, value: Buffer, length: Buffer): number;
  syscall(number: number, pid: number, flags: number): number;
  poll(fds: Buffer, count: number, timeoutMs: number): number;
  close(fd: number): number;
}

let loaded: Promise<C> | null = null;

/** System calls that Node does not offer. Throws on other systems: agents run on Linux. */
export function loadPeerCalls(): Promise<C> {
  if (process.platform !== 'linux') throw new Error('agents attest workloads on Linux only');
  loaded ??= load();
  return loaded;
}

async function load(): Promise<C> {
  return {
    getsockopt: await loadC('int getsockopt(int fd, int level, int name, void *value, void *length)'),
    syscall: await loadC('long syscall(long number, int pid, unsigned int flags)'),
    poll: await loadC('int poll(void *fds, unsigned long count, int timeout)'),
    close: await loadC('int close(int fd)'),
  };
}

/** The peer of a connection; null when it has gone, or when the kernel does not identify it. */
export function peerOf(c: C, socket: Socket): Peer | null {
  const { fd } = (socket as unknown as { _handle: { fd: number } | null })._handle ?? { fd: -1 };
  const credentials = option(c, fd, SO_PEERCRED, 12);
  if (credentials === null) return null;
  const [pid, uid, gid] = [credentials.readInt32LE(0), credentials.readUInt32LE(4), credentials.readUInt32LE(8)];
  // A process of another PID namespace has number 0 here: nothing can be found out about it.
  if (pid <= 0) return null;
  const pidfd = option(c, fd, SO_PEERPIDFD, 4)?.readInt32LE(0) ?? c.syscall(SYS_PIDFD_OPEN, pid, 0);
  if (pidfd < 0) return null;
  let isOpen = true;
  return {
    pid,
    uid,
    gid,
    alive: () => isOpen && !isReadable(c, pidfd),
    close: () => {
      if (isOpen) c.close(pidfd);
      isOpen = false;
    },
  };
}

function option(c: C, fd: number, name: number, bytes: number): Buffer | null {
  const value = Buffer.alloc(bytes);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes);
  return c.getsockopt(fd, SOL_SOCKET, name, value, length) === 0 ? value : null;
}

/** A pidfd becomes readable when its process ends. */
function isReadable(c: C, pidfd: number): boolean {
  const asked = Buffer.alloc(8);
  asked.writeInt32LE(pidfd, 0);
  asked.writeInt16LE(POLLIN, 4);
  return c.poll(asked, 1, 0) !== 0;
}
