/**
 * What a handler knows about the claim it runs under.
 *
 * @example
 * const refundOnce = once(
 *   { operation: 'refund', store, key: (payment: Payment) => payment.id, onAbandoned: 'park' },
 *   (payment, claim: Claim) => bank.refund(payment, { idempotencyKey: claim.effectKey, signal: claim.signal }),
 * );
 */
export interface Claim {
  /** The operation of the consumer. */
  readonly operation: string;
  /** The idempotency key. */
  readonly key: string;
  /** Hand this to the provider as ITS idempotency key: it is the same on every attempt. Header-safe, at most 255 characters. */
  readonly effectKey: string;
  /** 1 on the first attempt. */
  readonly attempt: number;
  /** Grows with every grant; for conditions of your own, such as "only if the stored fence is not greater than mine". */
  readonly fence: number;
  /** Aborted when the lease or the invocation is about to end, or when another worker has taken the claim over. */
  readonly signal: AbortSignal;
  /** Milliseconds until `signal` is aborted. */
  remainingMs(): number;
  /**
   * Marks the one effect of the handler, so that an error before it is known to have applied nothing, and an error after
   * it cannot repeat it. What it throws decides, even if the handler catches it or throws something else: catch inside `start` what is no
   * failure. Only where it says that nothing was applied (a `RetryableError`, a `CommitRefusedError`) may the handler say what that means.
   *
   * @throws LeaseError when too little time is left to start it; Error when the claim has had its effect, or has ended
   * @example
   * const receipt = await fetch(`https://orders.example.com/${order.id}/receipt`); // may fail: nothing was applied
   * if (!receipt.ok) throw new RetryableError('there is no receipt yet');
   * await claim.effect(() => mailer.send(order));
   * console.log(receipt.status); // may fail: the mail is not sent again
   */
  effect<T>(start: () => Promise<T> | T): Promise<T>;
}
