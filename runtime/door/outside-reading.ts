/**
 * Runs code that closes a connection of the addon in a timer. Inside the addon's read callback it would go on to dispatch the rest of the
 * packet. From `setImmediate` it would leak 464 bytes: the addon frees closed connections in the check phase of the event loop, before
 * immediates run, and takes a handle that libuv has ended meanwhile for one that is still to end.
 */
export function outsideReading(run: () => void): void {
  setTimeout(run, 0);
}
