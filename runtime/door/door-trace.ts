/** The door's span of a traced request. */
export interface DoorTrace {
  readonly traceId: string;
  readonly spanId: string;
  /** The caller's span, '' where the trace begins here. */
  readonly parentId: string;
  readonly tracestate: string;
  readonly link: readonly [traceId: string, spanId: string] | null;
}
