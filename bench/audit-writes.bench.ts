/** What recording costs: the same durable creates on a node that records and on one that does not, in turns. */
import { FIRST_START_SECONDS, type BenchCase } from './harness.ts';
import { createsInTurns, figureOf, warmSeconds, withTwoNodes } from './kit/two-nodes.ts';

const CONNECTIONS = 64;
const SECONDS = 10;
const RATIO_MIN = 0.65;

export const auditWrites: BenchCase = {
  name: 'audit-writes',
  measures: `durable creates on ${CONNECTIONS} connections with every write recorded, beside the same with nothing recorded`,
  target: `≥ ${RATIO_MIN} ×`,
  http: false,
  seconds: ({ pairs, seconds = SECONDS }) => 2 * (FIRST_START_SECONDS + pairs * seconds) + warmSeconds,
  run: (bench) =>
    withTwoNodes(bench, { plain: ['audit.enabled=false'], other: ['audit.enabled=true'] }, async (nodes) => {
      const { seconds = SECONDS, connections = CONNECTIONS } = bench.options;
      const rounds = await createsInTurns(bench, nodes, connections, seconds);
      const note = 'ratio to the same creates with audit.enabled=false';
      return [figureOf('audit-writes', rounds, { target: { of: 'ratio', bound: 'min', than: RATIO_MIN }, note })];
    }),
};
