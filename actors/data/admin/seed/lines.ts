/** The rows of a seed with their places for messages: lines of its YAML file, or of the file beside it. */
import type { SeedDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { readerOf } from '../../bulk/format.ts';
import { FormatFault, type Line } from '../../bulk/line.ts';
import { failure, type Failure } from '#actors/engine/rows/failure.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Session } from '#actors/engine/rows/session.ts';

/** All rows, read in slices between which other turns run; 422 for a file that cannot be read or holds too many. */
export async function linesOf(session: Session, seed: SeedDefinition, model: EntityModel): Promise<Line[] | Failure> {
  if (seed.rows !== null) return seed.rows.map(({ line, input }) => ({ line, input, fault: '' }));
  const { format, text, source } = seed.file!;
  const reader = await readerOf(format, model);
  const lines: Line[] = [];
  try {
    for (let at = 0; at < text.length; at += limits.data.importSliceBytes) {
      lines.push(...reader.read(text.slice(at, at + limits.data.importSliceBytes)));
      if (lines.length > limits.seeds.rowsMax) return tooLong(source);
      await session.yieldTurn();
    }
    lines.push(...reader.end());
  } catch (error) {
    if (!(error instanceof FormatFault)) throw error;
    return failure(422, `${source}: ${error.message}`);
  }
  return lines.length > limits.seeds.rowsMax ? tooLong(source) : lines;
}

/** Where a row of a seed stands. */
export function placeOf(seed: SeedDefinition, line: number): string {
  return `${seed.file?.source ?? seed.source}:${line}`;
}

function tooLong(source: string): Failure {
  return failure(422, `${source} holds more than ${limits.seeds.rowsMax} rows: make two seeds of it`);
}
