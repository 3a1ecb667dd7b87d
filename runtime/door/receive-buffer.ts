/**
 * Bounds how much the kernel keeps of what a caller sends before the door reads it. The addon goes on reading from one connection for as
 * long as each read nearly fills its 512 KiB, even while others wait and when the request was paused: a caller that sends faster than the
 * door reads (over loopback, say) would fill the memory. So the receive buffer is kept below that. Accepted sockets inherit the buffer
 * size of the listening socket; Node does not know the addon's, so it is found by its port.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { limits } from '#config/limits.ts';
import { loadC } from '#storage/libc.ts';

/** asm-generic/socket.h */
const SOL_SOCKET = 1;
const SO_RCVBUF = 8;
/** net/tcp_states.h */
const LISTENING = '0A';

type SetSocketOption = (fd: number, level: number, name: number, value: Int32Array, size: number) => number;

/** Bounds the buffers of a port that this process listens on. On Linux only, where a process can look up its own sockets. */
export async function boundReceiveBuffers(port: number): Promise<void> {
  if (process.platform !== 'linux') return;
  const set = await loadC<SetSocketOption>(
    'int setsockopt(int fd, int level, int name, const void *value, unsigned int size)',
  );
  const value = Int32Array.of(limits.door.receiveBufferBytes);
  for (const fd of listeningOn(port)) set(fd, SOL_SOCKET, SO_RCVBUF, value, value.byteLength);
}

/** File descriptors of this process that listen on a port. */
export function listeningOn(port: number): number[] {
  const wanted = new Set(['tcp', 'tcp6'].flatMap((table) => inodesOf(table, port)));
  return readdirSync('/proc/self/fd')
    .filter((fd) => wanted.has(targetOf(fd)))
    .map(Number);
}

/** proc(5), /proc/net/tcp: number, local address and port, remote one, state, …, inode as tenth column. */
function inodesOf(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = textOf(`/proc/self/net/${table}`).split('\n').slice(1);
  return rows.flatMap((row) => {
    const columns = row.trim().split(/\s+/);
    const isOurs = columns[3] === LISTENING && columns[1]?.endsWith(suffix) === true;
    return isOurs ? [`socket:[${columns[9]}]`] : [];
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // a kernel without IPv6
  }
}

function targetOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return ''; // closed since it was listed
  }
}
