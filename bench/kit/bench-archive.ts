/** A store for one thread that turns are measured on, without a host around it. */
import { openArchive, type Archive } from '#storage/archive.ts';

export const openBenchArchive = (dataDir: string): Promise<Archive> =>
  openArchive({
    dataDir,
    shards: [0],
    epoch: 1,
    name: 'bench',
    replay: [],
    onFatal: (error) => {
      throw error;
    },
    limits: { freeBytesMin: 1, ballastBytes: 0 },
  });
