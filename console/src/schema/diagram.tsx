/** The entities as boxes with their fields, and their references as lines: moved by dragging and by arrow keys, zoomed by the wheel and by + and -. The list below says the same in words. */
import { ActionIcon, Group } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconMinus, IconPlus, IconZoomReset } from '@tabler/icons-react';
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import type { EntityDoc } from '../data/shapes.ts';
import { useWords } from '../words/words.tsx';
import { BoxShape } from './box.tsx';
import { fits } from './find.ts';
import { BOX_PX } from './boxes.ts';
import { useDrawing } from './use-drawing.ts';
import { about, moved, whole, zoomed, type View } from './zoom.ts';

interface DiagramProps {
  readonly entities: readonly EntityDoc[];
  readonly q: string;
  readonly opened: string | null;
  readonly open: (entity: string) => void;
}

const STEP_PX = 60;
const ZOOM = 1.25;
const NOWHERE: View = { x: 0, y: 0, scale: 1 };

export function Diagram({ entities, q, opened, open }: DiagramProps) {
  const { schema: words } = useWords();
  const drawing = useDrawing(entities);
  const { ref, width, height } = useElementSize();
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>(NOWHERE);
  const isSized = width > 0 && height > 0;
  const middle = { x: width / 2, y: height / 2 };
  const fit = (): void => {
    if (drawing !== null) setView(whole(drawing, { width, height }));
  };
  // Before the drawing is painted: it is shown at this scale first, and a key that is pressed then changes it.
  useLayoutEffect(() => {
    if (isSized) fit();
  }, [drawing, isSized]);
  useEffect(() => {
    const { current: window } = frame;
    if (window === null) return undefined;
    // React's own listener cannot keep the page from scrolling meanwhile.
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      setView(wheeled(event, window));
    };
    window.addEventListener('wheel', wheel, { passive: false });
    return () => window.removeEventListener('wheel', wheel);
  }, []);
  const found = useMemo(() => drawing?.boxes.filter(({ entity }) => fits(entity, q)) ?? [], [drawing, q]);
  // What is found is brought to the middle.
  const [first] = found;
  useEffect(() => {
    if (q === '' || first === undefined || !isSized) return;
    const at = { x: first.x + BOX_PX / 2, y: first.y + first.height / 2 };
    setView((before) => about({ ...before, scale: Math.max(before.scale, 0.8) }, at, { width, height }));
  }, [q, first, isSized]);
  const zoom = (factor: number): void => setView((before) => zoomed(before, factor, middle));
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => setView((before) => moved(before, -STEP_PX, 0)),
    ArrowRight: () => setView((before) => moved(before, STEP_PX, 0)),
    ArrowUp: () => setView((before) => moved(before, 0, -STEP_PX)),
    ArrowDown: () => setView((before) => moved(before, 0, STEP_PX)),
    '+': () => zoom(ZOOM),
    '-': () => zoom(1 / ZOOM),
    '0': fit,
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  return (
    <div ref={frame} className="schema-drawing">
      <div
        ref={ref}
        className="schema-window"
        role="group"
        aria-label={words.drawing}
        aria-description={words.keys}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => drag(event, (dx, dy) => setView((before) => moved(before, -dx, -dy)))}
      >
        <svg width={width} height={height} data-scale={view.scale.toFixed(3)}>
          <g transform={`scale(${view.scale}) translate(${-view.x} ${-view.y})`}>
            {drawing?.lines.map(({ from, field, to, path }) => (
              <path
                key={`${from} ${field}`}
                d={path}
                className="schema-line"
                data-near={from === opened || to === opened || undefined}
              />
            ))}
            {drawing?.boxes.map((box) => (
              <BoxShape
                key={box.entity.name}
                box={box}
                isFound={found.includes(box)}
                isOpened={box.entity.name === opened}
                q={q}
                open={open}
              />
            ))}
          </g>
        </svg>
      </div>
      <Group className="schema-zoom" gap={4}>
        <ActionIcon variant="default" aria-label={words.larger} onClick={() => zoom(ZOOM)}>
          <IconPlus size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="default" aria-label={words.smaller} onClick={() => zoom(1 / ZOOM)}>
          <IconMinus size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="default" aria-label={words.whole} onClick={fit}>
          <IconZoomReset size={16} aria-hidden />
        </ActionIcon>
      </Group>
    </div>
  );
}

/** Follows the pointer until it is let go; a click on a box moves nothing. */
function drag(event: PointerEvent<HTMLElement>, move: (dx: number, dy: number) => void): void {
  if (event.button !== 0) return;
  const { currentTarget: window } = event;
  let [x, y] = [event.clientX, event.clientY];
  const follow = (to: globalThis.PointerEvent): void => {
    move(to.clientX - x, to.clientY - y);
    [x, y] = [to.clientX, to.clientY];
  };
  const end = new AbortController();
  const { signal } = end;
  window.ownerDocument.addEventListener('pointermove', follow, { signal });
  for (const name of ['pointerup', 'pointercancel'] as const)
    window.ownerDocument.addEventListener(name, () => end.abort(), { signal });
}

/** The point under the mouse stays where it is. */
function wheeled({ deltaY, clientX, clientY }: WheelEvent, window: HTMLElement): (before: View) => View {
  const { left, top } = window.getBoundingClientRect();
  const at = { x: clientX - left, y: clientY - top };
  return (before) => zoomed(before, Math.exp(-deltaY / 600), at);
}
