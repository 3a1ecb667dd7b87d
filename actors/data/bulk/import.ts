/** POST /data/bulk: rows of a body of any length, read as it arrives (docs/contract/data.md §7.1, §7.2). */
import type { Bound } from '#actors/kit/bound.ts';
import { limits } from '#config/limits.ts';
import { BodyCut } from '#actors/host/body-stream.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { grantOf } from '#actors/engine/rows/access.ts';
import { claimKey } from '#actors/host/idempotency/replay.ts';
import { busy, refuse } from '../refusals.ts';
import { sessionOf } from '../rest/session.ts';
import type { Routes } from '../routes.ts';
import type { ImportDone } from '../shapes.ts';
import { readerOf } from './format.ts';
import { Importer, type ImportReport } from './importer.ts';
import { FormatFault, type LineReader } from './line.ts';
import { targetOf, type BulkTarget } from './parameters.ts';
import { TextReader } from './text-reader.ts';

type Imported = Outcome<Routes['import']>;

/** `imports` bounds how many run at once on this thread. */
export async function importBulk(call: Call, imports: Bound): Promise<Imported> {
  const target = targetOf(call);
  if (isRefusal(target)) return target;
  const { model } = target;
  const request = { method: 'POST', operation: 'create', entity: model.name, id: null, data: null };
  if (grantOf(sessionOf(call), model, 'create', request) === 'none')
    return refuse('v2.create_failed', { status: 403, message: `create on ${model.name} is not allowed` });
  if (!imports.take()) return busy('too many imports run now');
  try {
    return await run(call, target);
  } finally {
    imports.give();
  }
}

async function run(call: Call, target: BulkTarget): Promise<Imported> {
  const { parameters, model, format } = target;
  const dryRun = parameters.flag('dryrun', 'dry_run');
  const skipErrors = parameters.flag('skiperrors');
  const onCommit = (): void => claimKey(call);
  const options = { chunkRows: parameters.chunkRows, skipErrors, dryRun, skipPresent: false, onCommit };
  const importer = new Importer(call, sessionOf(call), model, options);
  const reader = await readerOf(format, model, parameters.escapesFormulas);
  try {
    await readAll(call, reader, importer);
  } catch (error) {
    if (error instanceof BodyCut) return refuse('v2.import_failed', { message: error.message });
    if (!(error instanceof FormatFault)) throw error;
    const details = { line: error.line, row: reader.row, ...shown(importer.report, dryRun) };
    return refuse('v2.bad_format', { message: `the data is no ${format}: ${error.message}`, details });
  }
  return reply(importer.isEnded ? 207 : 200, shown(importer.report, dryRun));
}

/** Reads the body to its end, or until a refused row ends the import. Other turns run between its pieces. */
async function readAll(call: Call, reader: LineReader, importer: Importer): Promise<void> {
  const session = sessionOf(call);
  const text = new TextReader();
  let chars = 0;
  for await (const bytes of bodyOf(call)) {
    for (let at = 0; at < bytes.byteLength; at += limits.data.importSliceBytes) {
      const slice = text.read(bytes.subarray(at, at + limits.data.importSliceBytes), reader.line);
      if (!(await importer.add(reader.read(slice)))) return;
      chars += slice.length;
      if (chars > limits.data.importChunkCharsMax) {
        chars = 0;
        await importer.flush();
      }
      await session.yieldTurn();
    }
  }
  const lines = reader.read(text.end(reader.line));
  if (await importer.add([...lines, ...reader.end()])) await importer.flush();
}

/** The body in pieces: a door streams it, a test gives it whole. */
async function* bodyOf(call: Call): AsyncGenerator<Uint8Array> {
  if (call.stream !== null) yield* call.stream;
  else yield typeof call.body === 'string' ? Buffer.from(call.body, 'latin1') : call.body;
}

function shown({ errorsOmitted, ...report }: ImportReport, dryRun: boolean): ImportDone {
  return {
    ...report,
    ...(errorsOmitted > 0 && { errors_omitted: errorsOmitted }),
    ...(dryRun && { dry_run: true }),
  };
}
