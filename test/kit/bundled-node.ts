/** `startNode` out of its bundle: a child process of a test loads it in a quarter of the time of a thousand sources. */
import { programUrl } from '#runtime/place.ts';

type NodeModule = typeof import('#runtime/node.ts');

export const { startNode } = (await import(programUrl('runtime/node.ts').href)) as NodeModule;
