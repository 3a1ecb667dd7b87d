/** Scripts that a write causes, as the engine sees them: it says what is to be run, and gets what the script said. */
import type { NestedScript, ScriptResult } from '#actors/kit/jobs.ts';

export interface MoveScripts {
  /** What the script said. Throws to unwind the turn while it has not been run yet: the whole write is done again then. */
  run(script: NestedScript): ScriptResult;
}
