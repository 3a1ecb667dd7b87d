/**
 * Bounds how much the kernel keeps of what a caller sends before the door reads it. The addon goes on reading from one connection for as
 * long as each read nearly fills its 512 KiB, even while others wait and when the request was paused: a caller that sends faster than the
 * door reads (over loopback, say) would fill the memory. So the receive buffer is kept below that. Accepted sockets inherit the buffer
 * size of the listening socket; Node does not know the addon's, so it is found by its port.
 */
import { limits } from '#config/limits.ts';
import { loadC } from '#storage/libc.ts';
import { listeningOn } from './listening.ts';

/** asm-generic/socket.h */
const SOL_SOCKET = 1;
const SO_RCVBUF = 8;

type SetSocketOption = (fd: number, level: number, name: number, value: Int32Array, size: number) => number;

/** Bounds the buffers of a port that this process listens on. On Linux only, where a process can look up its own sockets. */
export async function boundReceiveBuffers(port: number): Promise<void> {
  if (process.platform !== 'linux') return;
  const set = await loadC<SetSocketOption>(
    'int setsockopt(int fd, int level, int name, const void *value, unsigned int size)',
  );
  const value = Int32Array.of(limits.door.receiveBufferBytes);
  for (const fd of await listeningOn(port)) set(fd, SOL_SOCKET, SO_RCVBUF, value, value.byteLength);
}
