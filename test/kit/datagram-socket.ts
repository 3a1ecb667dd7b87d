/** A datagram socket of the file system, as a service manager listens on: Node has none. */
import { loadC } from '#storage/libc.ts';

const AF_UNIX = 1;
const SOCK_DGRAM_CLOEXEC = 0o2000002;
const MSG_DONTWAIT = 0x40;

export interface DatagramSocket {
  /** What has come since the last call, in its order. */
  read(): string[];
  close(): void;
}

type Buffers = (fd: number, bytes: Buffer, length: number, flags: number) => number;

/** Listens at a path, which may begin with @ for an abstract name. */
export async function listenAt(path: string): Promise<DatagramSocket> {
  const open = await loadC<(domain: number, type: number, protocol: number) => number>(
    'int socket(int domain, int type, int protocol)',
  );
  const bind = await loadC<(fd: number, address: Buffer, length: number) => number>(
    'int bind(int fd, const void *address, unsigned int length)',
  );
  const receive = await loadC<Buffers>('long recv(int fd, _Out_ void *bytes, size_t length, int flags)');
  const close = await loadC<(fd: number) => number>('int close(int fd)');
  const fd = open(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
  const address = Buffer.from(`\x01\0${path.startsWith('@') ? `\0${path.slice(1)}` : `${path}\0`}`, 'latin1');
  if (bind(fd, address, address.length) !== 0) throw new Error(`cannot listen at ${path}`);
  const bytes = Buffer.alloc(4096);
  return {
    read: () => {
      const all: string[] = [];
      for (;;) {
        const length = receive(fd, bytes, bytes.length, MSG_DONTWAIT);
        if (length < 0) return all;
        all.push(bytes.toString('utf8', 0, length));
      }
    },
    close: () => void close(fd),
  };
}
