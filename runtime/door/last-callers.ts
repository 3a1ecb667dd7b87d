/**
 * Callers that a door still has to expect when it closes, as the kernel knows them: whose connection it makes, whose waits to be accepted, and from whose a request has to come. A door that closed without them would cut connections that
 * callers hold for good. Linux only; elsewhere a door that closes knows of none of them.
 */
import { limits } from '#config/limits.ts';
import { loadC } from '#storage/libc.ts';
import { keepHeads } from './head-filter.ts';
import { socketsOfProcess } from './listening.ts';
import { attaching, AND, JUMP_EQUAL, LOAD_BYTE, Program, RETURN, WHOLE } from './socket-filter.ts';

export interface LastCallers {
  /** From now on the kernel takes no notice of those that begin to connect: they try again, a second later at the soonest, and find that nothing listens. False where it cannot. */
  shutOut(): boolean;
  /** Connections that wait to be accepted. */
  waiting(): number;
  /** Whether a request may be on its way on a connection of which nothing is under way: one that has sent nothing since it was made, or something since `sinceMs` ago (over TLS, which sends before any request: whenever); a moment ago in each case. Asked behind the listener's close. */
  expected(sinceMs: number): boolean;
}

export const NONE: LastCallers = { shutOut: () => false, waiting: () => 0, expected: () => false };

/** netinet/in.h, netinet/tcp.h */
const IPPROTO_TCP = 6;
const TCP_INFO = 11;
const ESTABLISHED = 1;
/** `struct tcp_info`, linux/tcp.h: where its members are, and so much of it as they need. Of a listener `UNACKED` is the length of its queue. */
const STATE = 0;
const UNACKED = 24;
const LAST_RECEIVED_MS = 52;
const BYTES_RECEIVED = 128;
const INFO_BYTES = 136;
/** The kernel counts milliseconds in ticks: ten of them at most. */
const TICK_MS = 10;

interface Kind {
  readonly isTls: boolean;
  /** Its connections keep the filter of heads (head-filter.ts). */
  readonly keepsHeads: boolean;
}

type GetOption = (fd: number, level: number, name: number, value: Uint8Array, size: Uint32Array) => number;

/** Of the door at a port, once it listens. `NONE` where the system does not tell: without the C library's bridge, too, which is there for glibc alone. */
export async function lastCallersOf(port: number, kind: Kind): Promise<LastCallers> {
  if (process.platform !== 'linux') return NONE;
  return toldOf(port, kind).catch(() => NONE);
}

async function toldOf(port: number, { isTls, keepsHeads }: Kind): Promise<LastCallers> {
  const sockets = await socketsOfProcess();
  const attach = await attaching();
  const getOption = await loadC<GetOption>('int getsockopt(int fd, int level, int name, void *value, void *size)');
  const listeners = sockets.listening(port);
  const info = Buffer.alloc(INFO_BYTES);
  const told = (fd: number): boolean => getOption(fd, IPPROTO_TCP, TCP_INFO, info, Uint32Array.of(INFO_BYTES)) === 0;
  const isExpected = (fd: number, sinceMs: number): boolean => {
    if (!sockets.isOf(fd, port) || !told(fd) || info[STATE] !== ESTABLISHED) return false;
    const ms = info.readUInt32LE(LAST_RECEIVED_MS);
    if (ms >= limits.door.silentMsMax) return false;
    return isTls || info.readBigUInt64LE(BYTES_RECEIVED) === 0n || ms < sinceMs + TICK_MS;
  };
  let candidates: readonly number[] | null = null;
  return {
    shutOut: () => listeners.length > 0 && listeners.every((fd) => attach(fd, withoutBeginnings(keepsHeads))),
    waiting: () => listeners.reduce((sum, fd) => (told(fd) ? sum + info.readUInt32LE(UNACKED) : sum), 0),
    expected: (sinceMs) => {
      // The listener is closed, so that no further one comes.
      candidates = (candidates ?? sockets.accepted(port)).filter((fd) => isExpected(fd, sinceMs));
      return candidates.length > 0;
    },
  };
}

/** Leaves out segments that begin a connection: of SYN and ACK, in the flags (RFC 9293 §3.1), only the former. */
function withoutBeginnings(keepsHeads: boolean): Buffer {
  const program = new Program();
  program.put(LOAD_BYTE, 13);
  program.put(AND, 0x12);
  program.jump(JUMP_EQUAL, 0x02, { no: 'further' });
  program.put(RETURN, 0);
  program.label('further');
  if (keepsHeads) keepHeads(program);
  else program.put(RETURN, WHOLE);
  return program.bytes();
}
