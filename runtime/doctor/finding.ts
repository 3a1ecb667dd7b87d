/** One thing that `skep doctor` looked at. */

export interface Finding {
  readonly check: string;
  /** `warning`: it works, and an operator should know; `fault`: it does not work, or will not. */
  readonly state: 'ok' | 'warning' | 'fault';
  readonly detail: string;
  /** What to do; '' where nothing is to be done. */
  readonly mend: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail, mend: '' });

export const warning = (check: string, detail: string, mend: string): Finding => ({
  check,
  state: 'warning',
  detail,
  mend,
});

export const fault = (check: string, detail: string, mend: string): Finding => ({
  check,
  state: 'fault',
  detail,
  mend,
});
