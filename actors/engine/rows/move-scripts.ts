/** The port through which a write runs the scripts of stateflows. */
import type { NestedScript, ScriptResult } from '#actors/kit/jobs.ts';

export interface MoveScripts {
  /** The result of the script. Throws while it has not run yet: that unwinds the turn, and the whole write is done again afterwards. */
  run(script: NestedScript): ScriptResult;
}
