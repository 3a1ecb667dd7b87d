/** Recovers one image after the other: `<directory>` in, its facts out. A process of its own, since LMDB ends one over some damaged pages. */
import { recover } from './recover.ts';

process.on('message', (dataDir: string) => {
  void recover(dataDir).then((facts) => process.send!(facts));
});
