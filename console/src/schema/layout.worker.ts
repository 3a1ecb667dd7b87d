/** Lays one schema out, and ends with its page's answer. */
import type { EntityDoc } from '../data/shapes.ts';
import { drawingOf } from './layout.ts';

addEventListener('message', ({ data }: MessageEvent<readonly EntityDoc[]>) => postMessage(drawingOf(data)));
