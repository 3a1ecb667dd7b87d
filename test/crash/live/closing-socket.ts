/** The platform's WebSocket tells an error and no `close` where no connection came about: clients wait for that one for ever. */
export class ClosingSocket extends WebSocket {
  constructor(...wish: ConstructorParameters<typeof WebSocket>) {
    super(...wish);
    let isClosed = false;
    this.addEventListener('close', () => void (isClosed = true));
    const close = (): void => {
      if (!isClosed) this.dispatchEvent(Object.assign(new Event('close'), { code: 1006, reason: '', wasClean: false }));
    };
    this.addEventListener('error', () => void setImmediate(close));
  }
}
