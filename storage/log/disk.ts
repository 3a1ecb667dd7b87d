/** What the JSONL log asks of a directory. `directory.ts` implements it on files; a test's twin counts, tears and fills. */
import { isOutOfDescriptors } from '../descriptors.ts';
import { hasNoRoom } from '../fault.ts';

export interface LogFile {
  /** Writes all of `bytes` at `position`; a rejection may leave part of them. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Everything written so far, and the file's length, are on the disk when it resolves. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

export interface LogDisk {
  /** Names of the files in the directory, in no order. */
  names(): Promise<readonly string[]>;
  size(name: string): Promise<number>;
  /** Up to `length` bytes from `position`; fewer only at the end of the file. */
  read(name: string, position: number, length: number): Promise<Buffer>;
  /** Opens for writing; a file that is not there is created, and its name is durable when this resolves. */
  open(name: string): Promise<LogFile>;
  /** Replaces the whole file, durably and at once: a crash leaves the old bytes or the new ones. */
  save(name: string, bytes: Uint8Array): Promise<void>;
  /** As `save`, for a file of any size. A rejection of `pieces` leaves the old bytes; a crash may also leave `<name>.tmp`. */
  rewrite(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /** Takes a file away, durably, with what was put aside of its torn tail. */
  remove(name: string): Promise<void>;
}

/** Whether the error says that there is no room now, on the disk or for another descriptor, as opposed to a disk that is broken. */
export function isFull(error: unknown): boolean {
  return hasNoRoom(error) || isOutOfDescriptors(error);
}
