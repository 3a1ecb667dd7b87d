/**
 * Which sockets of this process are at a port. The addon does not tell the descriptors of its sockets, so every socket of the process is
 * asked: some microseconds each, where /proc/net/tcp takes the kernel milliseconds a reading. Linux only.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { loadC } from '#storage/libc.ts';

/** asm-generic/socket.h */
const SOL_SOCKET = 1;
const SO_ACCEPTCONN = 30;
/** Bytes of a `sockaddr_in6`, the longest address that a port belongs to. Before it and `sockaddr_in` alike: family (2 bytes), port (2, of the network's order). */
const ADDRESS_BYTES = 28;
const FAMILIES: readonly number[] = [2, 10];

type GetOption = (fd: number, level: number, name: number, value: Int32Array, size: Uint32Array) => number;
type GetName = (fd: number, address: Uint8Array, size: Uint32Array) => number;

/** By file descriptor. */
interface Sockets {
  /** Those that listen on a port. */
  listening(port: number): number[];
  /** Connections that a listener on the port accepted. */
  accepted(port: number): number[];
  /** Whether a descriptor still is a socket of this port. */
  isOf(fd: number, port: number): boolean;
}

/** Looks among the sockets of this process. */
export async function socketsOfProcess(): Promise<Sockets> {
  const getOption = await loadC<GetOption>('int getsockopt(int fd, int level, int name, void *value, void *size)');
  const getName = await loadC<GetName>('int getsockname(int fd, void *address, void *size)');
  const value = new Int32Array(1);
  const address = Buffer.alloc(ADDRESS_BYTES);
  const listens = (fd: number): boolean =>
    getOption(fd, SOL_SOCKET, SO_ACCEPTCONN, value, Uint32Array.of(value.byteLength)) === 0 && value[0] === 1;
  const isOf = (fd: number, port: number): boolean =>
    getName(fd, address, Uint32Array.of(ADDRESS_BYTES)) === 0 &&
    FAMILIES.includes(address.readUInt16LE(0)) &&
    address.readUInt16BE(2) === port;
  const all = (port: number): number[] =>
    readdirSync('/proc/self/fd')
      .filter(isSocket)
      .map(Number)
      .filter((fd) => isOf(fd, port));
  return {
    isOf,
    listening: (port) => all(port).filter(listens),
    accepted: (port) => all(port).filter((fd) => !listens(fd)),
  };
}

/** File descriptors of this process that listen on a port. */
export const listeningOn = async (port: number): Promise<number[]> => (await socketsOfProcess()).listening(port);

function isSocket(fd: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).startsWith('socket:');
  } catch {
    return false; // closed since it was listed
  }
}
