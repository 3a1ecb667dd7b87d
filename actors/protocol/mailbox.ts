/** The development mailbox: mails that do not leave the node, on their way from the courier to the page that shows them. */

export interface KeptMail {
  /** From 1, in the order of their coming; never given twice while the courier runs. */
  readonly no: number;
  /** RFC 3339. */
  readonly at: string;
  /** Key of the tenant. */
  readonly tenant: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}
