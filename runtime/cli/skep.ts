/** The command line's entry, started by the launcher beside it. */
import { runCli } from './program.ts';
import { processTerminal } from './terminal.ts';

process.exitCode = await runCli(process.argv.slice(2), processTerminal());
