/** Tenants and their plans as the control plane shows them: docs/contract/node.md §7, docs/contract/identity-users.md §6. */
export type TenantState = 'registered' | 'bootstrapped' | 'seeded' | 'active' | 'restoring' | 'moving' | 'deleting';

export interface Tenant {
  readonly key: string;
  readonly customer: string;
  readonly product: string;
  readonly env: string;
  readonly tenant: string;
  readonly state: TenantState;
  readonly standing: 'serving' | 'suspended' | 'read-only';
  readonly product_source: string | null;
  readonly created_at: string;
  readonly shard: number;
  readonly host: string | null;
  readonly revision: string | null;
}

export interface TenantsPage {
  readonly tenants: readonly Tenant[];
  readonly next: string | null;
}

export type Risk = 'low' | 'medium' | 'high';

export interface Step {
  readonly Order: number;
  readonly SchemaOp: string;
  readonly Entity: string;
  readonly Identifier: string;
  readonly SQL: string;
  readonly Risk: Risk;
  readonly Notes: string;
}

export interface Plan {
  readonly plan_id: string;
  readonly max_risk: Risk;
  readonly warnings?: readonly string[];
  readonly refusals?: readonly string[];
  readonly steps: readonly Step[];
  /** What it would drop, had drops been asked for. */
  readonly left?: readonly Step[];
}

export type StepStatus = 'pending' | 'applied' | 'failed' | 'halted';
export type PlanStatus = 'generated' | 'applied' | 'partial' | 'failed' | 'halted' | 'dry_run';

/** The steps of a kept plan, and how far each is. It knows no risk of a step, and no warning. */
export interface Ledger {
  readonly plan: {
    readonly Status: PlanStatus;
    readonly MaxRisk: Risk;
    readonly AppliedCount: number;
    readonly TotalSteps: number;
    readonly Notes: string;
  };
  readonly steps: readonly (Omit<Step, 'Order' | 'Risk' | 'Notes'> & {
    readonly StepOrder: number;
    readonly Status: StepStatus;
    readonly Error: string;
  })[];
}

export interface Applied {
  readonly status: PlanStatus;
  readonly steps_applied: number;
  readonly failed_step?: number;
  readonly halted_step?: number;
  readonly error?: string;
}

/** Where a plan leads: the product's files on the node as they are now, or the revision of before. */
export type Aim = 'checkout' | 'former';

export interface PlanWish {
  readonly to: Aim;
  readonly allow_drops: boolean;
}

export interface Registration {
  readonly customer: string;
  readonly product: string;
  readonly env: string;
  readonly tenant: string;
  readonly product_source: string | null;
}

export interface Administrator {
  readonly email: string;
  readonly password: string;
}
