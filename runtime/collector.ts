/** How V8 collects the garbage of this process. Measured in docs/decisions/runtime.md RT-21. */
import { setFlagsFromString } from 'node:v8';

/**
 * No object is born old. V8 watches which places make objects that survive, and has those places allocate among the old ones from
 * then on. Places that every request passes were judged by the first seconds, when models and caches are built; their garbage then
 * fell due to whole collections, several a second, whose helper threads took both cores from door and hosts for 25 ms each.
 * Holds for every thread of the process, from its next compilation on: to be called before they start.
 */
export function letYoungObjectsDieYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
