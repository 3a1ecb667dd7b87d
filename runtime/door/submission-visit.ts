/** A visit of `POST /f/{id}`: its answers have the CORS lines that a page of an allowed origin needs, and it keeps the fields of intake's log line. */
import { CorsVisit } from './cors-visit.ts';
import type { Visit } from './port.ts';

export class SubmissionVisit extends CorsVisit {
  /** The form's id, as the path has it. */
  readonly form: string;
  /** '' when it is unknown. */
  readonly callerIp: string;
  /** The declared length; 0 for a body without one. */
  readonly bytes: number;

  /** Within the handler's synchronous part. */
  constructor(visit: Visit, form: string, callerIp: string, origins: readonly string[] | undefined) {
    super(visit, origins);
    this.form = form;
    this.callerIp = callerIp;
    this.bytes = Number(visit.header('content-length'));
  }
}
