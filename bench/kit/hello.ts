/**
 * The ceiling: the least that uWebSockets.js can do, one thread, one fixed body. A process of its own, as the product is;
 * the parent sends the number of bytes that each answer shall have.
 */
import * as uWS from 'uWebSockets.js';

let body = 'hello';
process.on('message', (bytes: number) => {
  body = 'x'.repeat(bytes);
  process.send!('ready');
});
process.once('disconnect', () => process.exit(0));

uWS
  .App()
  .any('/*', (res) => {
    res.end(body);
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('the ceiling found no port');
    process.send!(uWS.us_socket_local_port(socket));
  });
