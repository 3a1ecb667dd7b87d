/** The drawing of a schema, laid out in a worker that ends with it; null until then. */
import { useEffect, useState } from 'react';
import type { EntityDoc } from '../data/shapes.ts';
import type { Drawing } from './boxes.ts';

export function useDrawing(entities: readonly EntityDoc[]): Drawing | null {
  const [drawn, setDrawn] = useState<{ readonly of: readonly EntityDoc[]; readonly drawing: Drawing } | null>(null);
  useEffect(() => {
    const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<Drawing>) => {
      worker.terminate();
      setDrawn({ of: entities, drawing: data });
    });
    worker.postMessage(entities);
    return () => worker.terminate();
  }, [entities]);
  return drawn?.of === entities ? drawn.drawing : null;
}
