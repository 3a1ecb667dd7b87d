/** The log of one thread or service, as the platform file wants it: JSON lines, or text where a person is watching. */
import { isatty } from 'node:tty';
import type { Platform } from '#config/platform.ts';
import { NodeLog } from './logger.ts';
import type { ServiceLog } from './logger.ts';

export function threadLogger(platform: Platform, service: string): ServiceLog {
  const format = isatty(1) ? 'text' : 'json';
  return new NodeLog({ level: platform.log.level, output: 'stdout', format }).for(service);
}

/** Intake's lines obey `intake.logging.*` (decisions.md "All services"). */
export function intakeLogger(platform: Platform): { readonly log: ServiceLog; readonly reopen: () => void } {
  const { output, format, level, file } = platform.intake.logging;
  const quieter = platform.log.level === 'silent' ? 'silent' : level;
  const node = new NodeLog({ level: quieter, output: output === 'file' ? file.path : output, format });
  return { log: node.for('intake'), reopen: () => node.reopen() };
}
