/**
 * Tells the service manager how the node is (sd_notify(3)): datagrams to the socket that NOTIFY_SOCKET names. Without one nothing is sent. Node has no
 * datagram sockets of the file system, so the C library sends them.
 */
import { loadC } from '#storage/libc.ts';

/** Numbers of Linux, which alone has systemd. */
const AF_UNIX = 1;
const SOCK_DGRAM_CLOEXEC = 0o2000002;
/** A manager that reads no more must not stop the main thread: what finds its queue full is dropped (unix(7): ten datagrams). */
const MSG_DONTWAIT = 0x40;
const PATH_BYTES_MAX = 107;
const MICROSECONDS = 1000;

type Environment = Readonly<Record<string, string | undefined>>;

export interface ServiceManager {
  /** The node accepts requests, or stands by; it may be told again. From now on the manager is told twice in its period that the main thread still turns, where it watches. */
  ready(status: string): void;
  /** The node drains and ends. */
  stopping(): void;
}

const NONE: ServiceManager = { ready: () => undefined, stopping: () => undefined };

/** The manager that started this process, or one that is told nothing. Rejects where NOTIFY_SOCKET names no socket that can be reached by its kind. */
export async function serviceManager(env: Environment, pid = process.pid): Promise<ServiceManager> {
  const path = env['NOTIFY_SOCKET'];
  if (path === undefined || path === '') return NONE;
  const send = await datagramsTo(path);
  let timer: NodeJS.Timeout | undefined;
  return {
    ready: (status) => {
      send(`READY=1\nSTATUS=${status}`);
      clearInterval(timer);
      const periodMs = watchedEveryMs(env, pid);
      // The node's own watchdog replaces a host that stands still; what is left for the manager is a main thread that does.
      if (periodMs !== null) timer = setInterval(() => send('WATCHDOG=1'), periodMs / 2).unref();
    },
    stopping: () => {
      clearInterval(timer);
      send('STOPPING=1');
    },
  };
}

/** sd_watchdog_enabled(3): the period in which the manager wants a sign of life; null where it watches nothing, or another process. */
function watchedEveryMs(env: Environment, pid: number): number | null {
  const period = Number(env['WATCHDOG_USEC']);
  const watched = env['WATCHDOG_PID'];
  if (!(period > 0) || (watched !== undefined && watched !== String(pid))) return null;
  return period / MICROSECONDS;
}

async function datagramsTo(path: string): Promise<(text: string) => void> {
  const [open, sendTo, close] = await Promise.all([
    loadC<(domain: number, type: number, protocol: number) => number>('int socket(int domain, int type, int protocol)'),
    loadC<(fd: number, text: Buffer, length: number, flags: number, to: Buffer, toLength: number) => number>(
      'long sendto(int fd, const void *text, size_t length, int flags, const void *to, unsigned int to_length)',
    ),
    loadC<(fd: number) => number>('int close(int fd)'),
  ]);
  const address = addressOf(path);
  return (text) => {
    const fd = open(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
    if (fd < 0) return; // out of descriptors: the next sign of life tries again
    const bytes = Buffer.from(text);
    sendTo(fd, bytes, bytes.length, MSG_DONTWAIT, address, address.length);
    close(fd);
  };
}

/** struct sockaddr_un of Linux; a leading @ stands for an abstract name (unix(7)). */
function addressOf(path: string): Buffer {
  const name = Buffer.from(path.startsWith('@') ? `\0${path.slice(1)}` : path);
  if (!/^[/@]/.test(path) || name.length > PATH_BYTES_MAX)
    throw new Error(
      `NOTIFY_SOCKET is ${path}: it has to begin with / or @ and to have at most ${PATH_BYTES_MAX} bytes`,
    );
  const family = Buffer.alloc(2);
  if (new Uint8Array(new Uint16Array([AF_UNIX]).buffer)[0] === AF_UNIX) family.writeUInt16LE(AF_UNIX);
  else family.writeUInt16BE(AF_UNIX);
  // A path of the file system ends with a zero byte; an abstract name has exactly its length.
  return Buffer.concat([family, name, ...(path.startsWith('@') ? [] : [Buffer.alloc(1)])]);
}
