/** How a request to the world outside ends without an answer. */

/** Why there is no answer. `busy`: too many requests are under way. `unreachable`: no connection was made; `failed`: one broke. */
export class OutboundFault extends Error {
  readonly why: 'forbidden' | 'deadline' | 'too_large' | 'unreachable' | 'failed' | 'busy';

  constructor(why: OutboundFault['why'], message: string) {
    super(message);
    this.why = why;
  }
}
