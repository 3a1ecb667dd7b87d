/** One request of which only the status is wanted: the body of the answer is read away, so that its connection can stay; a long one ends the connection. */
import type { Dispatcher } from 'undici';
import { limits } from '#config/limits.ts';
import type { Pool } from './undici-pool.ts';

export interface StatusRequest {
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

type Controller = Dispatcher.DispatchController;

export class StatusExchange implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #done = Promise.withResolvers<number>();
  #controller: Controller | null = null;
  #status = 0;
  #bytes = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  through(pool: Pool, request: StatusRequest): Promise<number> {
    this.#signal.throwIfAborted();
    this.#signal.addEventListener('abort', this.#abort);
    pool.dispatch(request, this);
    return this.#done.promise;
  }

  #abort = (): void => {
    this.#controller?.abort(this.#signal.reason as Error);
    this.#end(this.#signal.reason as Error);
  };

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#signal.aborted) controller.abort(this.#signal.reason as Error);
  }

  onRequestUpgrade(_controller: Controller, _status: number, _headers: unknown, socket: { destroy(): unknown }): void {
    socket.destroy();
    this.#end(new Error('the receiver speaks another protocol'));
  }

  onResponseStart(_controller: Controller, status: number): void {
    if (status >= 200) this.#status = status;
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > limits.outbound.droppedBytesMax)
      controller.abort(new Error('the answer is too long to be read away'));
  }

  /** undici takes the connection up again one turn of the event loop later: a request that came before would have a new one made. */
  onResponseEnd(): void {
    setImmediate(() => setImmediate(() => this.#end(null)));
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#end(error);
  }

  /** An answer whose end does not come counts by its status. */
  #end(error: Error | null): void {
    this.#signal.removeEventListener('abort', this.#abort);
    if (this.#status > 0) this.#done.resolve(this.#status);
    else this.#done.reject(error ?? new Error('the receiver sent no status'));
  }
}
