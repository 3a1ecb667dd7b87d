/**
 * Runs what closes a connection of the addon: not inside its reading, because it would go on to dispatch what else the packet holds,
 * and not from `setImmediate`. The addon frees a closed connection in the check phase of the event loop, before immediates; libuv ends
 * the handle in the phase behind them. One that an immediate closes is ended before it is to be freed, and stays allocated: 464 bytes.
 */
export function outsideReading(run: () => void): void {
  setTimeout(run, 0);
}
