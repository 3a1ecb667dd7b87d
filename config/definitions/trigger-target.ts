/** What a trigger does: a webhook, a mail or a script, exactly one (docs/contract/triggers.md §1.2, §1.3, §1.4). */
import { durationMs } from '#config/values/duration.ts';
import { limits } from '../limits.ts';
import { problemAt } from '../problem.ts';
import { referenceAt } from '../reference-at.ts';
import { textBeside } from './beside.ts';
import { htmlFaultOf, textFaultOf } from './mail-text.ts';
import { actionTargetOf } from './action-target.ts';
import { rowTargetOf } from './row-target.ts';
import { runAsFault } from './run-as.ts';
import type { TargetPlace } from './trigger-place.ts';
import type { TriggerFile } from './trigger-file.ts';
import type { MailTarget, ScriptTarget, TriggerTarget, WebhookTarget } from './trigger-shapes.ts';

/** Names that a mail of a trigger may show beside the fields that the trigger sends. */
const TRIGGER_MAIL_NAMES = ['id', 'entity', 'event', 'product', 'customer', 'env', 'tenant', 'language'] as const;

/** The target; null where it has a problem, which was said. */
export function targetOf(raw: TriggerFile, place: TargetPlace): TriggerTarget | null {
  const { webhook, mail, script, action, row } = raw;
  const given = [webhook, mail, script, action, row].filter((one) => one !== undefined);
  if (given.length !== 1) {
    const what = given.length === 0 ? 'the trigger does nothing' : 'the trigger does several things';
    const mend = 'write exactly one of webhook, mail, script, action and row; another trigger may do the other thing';
    place.say([], what, mend);
    return null;
  }
  if (webhook !== undefined) return webhookOf(webhook, place);
  if (action !== undefined) return actionTargetOf(action, place);
  if (row !== undefined) return rowTargetOf(row, place);
  return mail === undefined ? scriptOf(script!, place) : mailOf(raw, mail, place);
}

function webhookOf(raw: NonNullable<TriggerFile['webhook']>, { tree, problems }: TargetPlace): WebhookTarget | null {
  const path = ['webhook', 'secret'];
  const vault = referenceAt(tree, path);
  if (vault === null && tree.looseSource(path) === null) {
    const mend = 'write `secret: ${NAME}` and set NAME, or `vault:<name>` and put it into the tenant’s vault';
    const message = 'secret must come from the environment or the vault';
    problems.push(problemAt(tree.placeOf(path, 'value'), path, message, mend));
    return null;
  }
  const { url, secret, timeout, headers = {} } = raw;
  const timeoutMs = timeout === undefined ? limits.content.webhookTimeoutMs : durationMs(timeout);
  return { kind: 'webhook', url, secret: vault === null ? secret : { vault }, timeoutMs, headers };
}

function mailOf(raw: TriggerFile, mail: NonNullable<TriggerFile['mail']>, { say }: TargetPlace): MailTarget {
  const words = { of: 'mail of this trigger', names: [...(raw.fields ?? []), ...TRIGGER_MAIL_NAMES] };
  const { to, subject, text, button = null, html = null } = mail;
  const faults = [
    ['subject', textFaultOf(words, subject)],
    ['text', textFaultOf(words, text)],
    ['html', html === null ? null : htmlFaultOf(words, html)],
  ] as const;
  for (const [key, fault] of faults) if (fault !== null) say(['mail', key], fault.message, fault.mend);
  if (raw.events?.includes('deleted') === true)
    say(['events'], 'a deleted row has no address any more', 'remove `deleted`, or send a webhook');
  return { kind: 'mail', to, subject, text, button, html };
}

function scriptOf(raw: NonNullable<TriggerFile['script']>, place: TargetPlace): ScriptTarget | null {
  const { role } = raw;
  const fault = place.roles === null ? null : runAsFault(role, place.roles);
  if (fault !== null) place.say(['script', 'role'], fault.message, fault.mend);
  const path = ['script', 'source'];
  const source = textBeside(raw.source, 'js', place.file, place.tree, path, limits.scripts.sourceCharsMax);
  if ('mend' in source) {
    place.problems.push(source);
    return null;
  }
  const { text, file, line, column } = source;
  return { kind: 'script', role, source: text, sourceAt: { file, line, column } };
}
