/** How V8 collects the garbage of this process. Measured in docs/decisions/runtime.md RT-21. */
import { setFlagsFromString } from 'node:v8';

/**
 * Turns pretenuring off: V8 watches which allocation sites make objects that survive, and then allocates those in the old generation at
 * once. Sites that every request passes were judged by the first seconds, when models and caches are built; their garbage then needed
 * full collections, several a second, whose helper threads took both cores from door and hosts for 25 ms each.
 * Applies to every thread of the process from its next compilation on, so it has to be called before threads start.
 */
export function letYoungObjectsDieYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
