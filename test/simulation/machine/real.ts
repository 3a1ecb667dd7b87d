/** What of the process is not simulated. Loaded before anything is put in its place (instead/globals.ts). */
export const realImmediate = setImmediate;
