/** Milliseconds of the machine's monotonic clock: times of two processes can be compared. */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
