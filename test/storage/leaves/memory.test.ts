/** Leaves in memory. */
import { describe } from 'vitest';
import { MemoryLeaves, MemoryLeafServer } from './memory.ts';
import { leafCases } from './store.cases.ts';

describe('memory', () => {
  let server = new MemoryLeafServer();
  leafCases({
    open: (node) => new MemoryLeaves(server, node),
    serves: async (node) => void (server.serving = node),
    clear: async () => void (server = new MemoryLeafServer()),
  });
});
