/** `startNode` out of its bundle: a child process of a test loads it in a quarter of the time of a thousand sources. */
import type * as source from '#runtime/node.ts';
import { programUrl } from '#runtime/place.ts';

export const { startNode } = (await import(programUrl('runtime/node.ts').href)) as typeof source;
