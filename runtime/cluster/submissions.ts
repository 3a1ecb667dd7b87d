/** The submissions of a node on a log: where they lie in its database the tables are made with the log; where they lie on the machine, they are lost with it. */
import { definitionFiles } from '#config/definitions/source.ts';
import { isLogSealed } from '#config/journal-problems.ts';
import type { Platform } from '#config/platform.ts';
import { Session, type SessionOptions } from '#storage/log-engine/postgres/session.ts';
import { createSubmissionTables, hasSubmissions } from '#storage/submissions/postgres-tables.ts';
import { ok, warning, type Finding } from '#runtime/doctor/finding.ts';
import { sessionOf } from './log-of.ts';

/** Does nothing where submissions lie elsewhere. Rejects with OutcomeUnknown and EngineRefused. */
export async function makeSubmissions({ intake }: Platform, options: SessionOptions): Promise<void> {
  if (intake.storage.backend !== 'postgres') return;
  const session = await Session.open(options);
  try {
    await createSubmissionTables(session, options.answerMs);
  } finally {
    session.close();
  }
}

/** What is lost with the machine, for the operator of a node on a log; null where nothing is. */
export function submissionsLost({ intake, storage }: Platform): string | null {
  const { backend } = intake.storage;
  if (storage.journal.driver !== 'postgres' || backend === 'postgres') return null;
  return definitionFiles(intake.forms.dir).files.length === 0
    ? null
    : `submissions of forms lie in ${backend} on this machine`;
}

/** Whether the database of the log has submissions that this node does not serve, since its file has them lie on the machine. Rejects with OutcomeUnknown and EngineRefused. */
export async function areLeftInDatabase(platform: Platform): Promise<boolean> {
  const { intake, storage } = platform;
  if (storage.journal.driver !== 'postgres' || intake.storage.backend === 'postgres') return false;
  const session = await Session.open(sessionOf(platform));
  try {
    return await hasSubmissions(session);
  } finally {
    session.close();
  }
}

/** What stays in the database behind `skep cluster leave`, for the operator; null where nothing does. Rejects as `areLeftInDatabase`. */
export async function submissionsStay({ intake }: Platform, options: SessionOptions): Promise<string | null> {
  if (intake.storage.backend !== 'postgres') return null;
  const session = await Session.open(options);
  try {
    if (!(await hasSubmissions(session))) return null;
  } finally {
    session.close();
  }
  return 'submissions of forms stay in the database, and a node on files has none of them: before the file is changed, skep intake export --platform <file> prints them';
}

/** What to do about it. */
export const MEND_LOST = 'set intake.storage.backend: postgres: they are taken along';

/** What `skep cluster check` says of them; nothing where there are no forms. */
export function examineSubmissions(platform: Platform): Finding[] {
  const lost = submissionsLost(platform);
  if (lost !== null) return [warning('forms', `${lost}, and a standby has none of them`, MEND_LOST)];
  const { forms, storage } = platform.intake;
  if (storage.backend !== 'postgres' || definitionFiles(forms.dir).files.length === 0) return [];
  const sealed = isLogSealed(platform) ? ', sealed' : '';
  return [ok('forms', `submissions lie in the database of the log${sealed}, where every node finds them`)];
}
