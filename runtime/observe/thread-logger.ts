/** The log of one thread or service by the platform file: JSON lines, or text on a terminal. */
import { isatty } from 'node:tty';
import type { Platform } from '#config/platform.ts';
import { NodeLog, type LogOptions, type ServiceLog } from './logger.ts';
import type { LineFields } from './request-lines.ts';

export function threadLogger(platform: Platform, service: string): ServiceLog {
  return new NodeLog(optionsOf(platform)).for(service);
}

function optionsOf({ log: { level, output } }: Platform): LogOptions {
  return { level, output, format: isatty(output === 'stdout' ? 1 : 2) ? 'text' : 'json' };
}

/** Lines of the access log. They are bounded, and adding one never waits. */
export interface AccessLines {
  add(fields: LineFields): void;
  flush(): void;
}

/** As the node's log, in lines of one shape; without effect where its level leaves out `info`. */
export function accessLines(platform: Platform): AccessLines {
  const log = new NodeLog({ ...optionsOf(platform), gathers: true });
  return { add: log.requestLines('door', 'request'), flush: () => log.flush() };
}

export interface IntakeLogger {
  readonly log: ServiceLog;
  /** One line for each submission, where `logging.level` allows it. */
  readonly submissions: (fields: LineFields) => void;
  readonly reopen: () => void;
  readonly flush: () => void;
}

/** Intake's lines follow `intake.logging.*` (docs/contract/platform.md §4). Opened once in a process: two would both rename its file. */
export function intakeLogger(platform: Platform): IntakeLogger {
  const { output, format, level, file } = platform.intake.logging;
  const quieter = platform.log.level === 'silent' ? 'silent' : level;
  const rotation = {
    maxSizeMb: file.max_size_mb,
    maxBackups: file.max_backups,
    maxAgeDays: file.max_age_days,
    compress: file.compress,
  };
  const where = output === 'file' ? { output: file.path, rotation } : { output };
  const node = new NodeLog({ level: quieter, format, gathers: true, ...where });
  return {
    log: node.for('intake'),
    submissions: node.requestLines('intake', 'submission'),
    reopen: () => node.reopen(),
    flush: () => node.flush(),
  };
}
