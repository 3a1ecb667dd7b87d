/** Which part of a drawing is looked at: moved, zoomed about a point, and the whole of it. Pure. */
export interface View {
  /** Of the drawing, at the upper left corner of the window. */
  readonly x: number;
  readonly y: number;
  /** Pixels of the window for one of the drawing. */
  readonly scale: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const SCALE_MIN = 0.1;
const SCALE_MAX = 2;

export const moved = (view: View, dx: number, dy: number): View => ({
  ...view,
  x: view.x + dx / view.scale,
  y: view.y + dy / view.scale,
});

/** What is at this point of the window stays there. */
export function zoomed(view: View, factor: number, at: { readonly x: number; readonly y: number }): View {
  const scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, view.scale * factor));
  const gain = 1 / view.scale - 1 / scale;
  return { scale, x: view.x + at.x * gain, y: view.y + at.y * gain };
}

/** All of it, in the middle, never larger than it is. */
export function whole(drawing: Size, window: Size): View {
  const fits = Math.min(window.width / drawing.width, window.height / drawing.height, 1);
  const scale = Math.max(SCALE_MIN, fits);
  return {
    scale,
    x: (drawing.width - window.width / scale) / 2,
    y: (drawing.height - window.height / scale) / 2,
  };
}

/** This part in the middle, at the scale that there is. */
export const about = (view: View, part: { readonly x: number; readonly y: number }, window: Size): View => ({
  ...view,
  x: part.x - window.width / view.scale / 2,
  y: part.y - window.height / view.scale / 2,
});
