/** Tells the operator which parts of a tenant's product are not served: a line in the log for each, and an entry of what is degraded. */
import { faultText, type PartFault } from '#actors/kit/part-fault.ts';
import type { Activation, Context } from './activation.ts';

/** Parts that were reported and not cleared yet, by tenant and service: another activation of the tenant may have reported them. */
const reported = new WeakMap<Context, Map<string, readonly string[]>>();

/** `what` is the log line's sentence. A part that the service reported before and does not report now is cleared. */
export function tellFaults(activation: Activation, service: string, faults: readonly PartFault[], what: string): void {
  const { context, position } = activation;
  const tenant = position.key;
  for (const fault of faults) context.log.error({ service, tenant, ...fault }, what);
  const { degraded } = context;
  if (degraded === undefined) return;
  const nameOf = ({ part }: PartFault): string => `${tenant} ${part}`;
  let known = reported.get(context);
  if (known === undefined) reported.set(context, (known = new Map()));
  const names = faults.map(nameOf);
  for (const name of known.get(`${service} ${tenant}`) ?? []) if (!names.includes(name)) degraded.clear('part', name);
  if (names.length === 0) known.delete(`${service} ${tenant}`);
  else known.set(`${service} ${tenant}`, names);
  for (const fault of faults)
    degraded.report({
      scope: 'part',
      name: nameOf(fault),
      reason: `it does not compile and is not served; mend it and run skep tenant provision: ${faultText(fault)}`,
      tenant,
      lasts: 'thread',
    });
}
