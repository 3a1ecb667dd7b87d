/** The client library, alone in a module: bundles of programs share one copy of it (runtime/cli/build-programs.ts). */
export { Client } from 'pg';
