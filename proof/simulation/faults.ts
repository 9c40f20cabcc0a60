/**
 * What may go wrong, and what it is. Each seed switches a random subset of these on: with all of them on at all times, no
 * run gets far enough for the interesting ones to meet.
 */
export const faults = {
  // The claims table, and the way to it. The SDK's own retry stands between these and the library.
  storeThrottles: 'a request is refused with a throttling error',
  storeFails: 'a request is answered with an internal error, and was not applied',
  storeFailsApplied: 'a request is applied, and answered with an internal error',
  storeAnswerLost: 'a request is applied, and its answer is lost',
  storeRequestLost: 'a request never arrives',
  storeRequestLate: 'a request arrives long after its sender has given it up',
  storeConflicts: 'a put meets a transaction, which the SDK does not retry',
  statementThrottled: 'one statement of a batch is throttled',
  statementFailsApplied: 'one statement of a batch is applied, and answered with an internal error',
  itemWithheld: 'a refused statement does not say what stands there',
  keysUnprocessed: 'some keys of a read are left unprocessed',
  storeOutage: 'the table refuses everything for a while',
  // SQS.
  queueCallFails: 'a call of a consumer to SQS fails, and was not applied',
  queueAnswerLost: 'a call of a consumer to SQS is applied, and its answer is lost',
  visibilityRefused: 'one entry of a visibility batch is refused',
  deletionLost: 'a handled message is not deleted, and is delivered again',
  deliveredTwice: 'a message becomes visible while it is being handled',
  batchesSmall: 'a receive finds fewer messages than are there',
  // Lambda.
  killAtCall: 'a sandbox is killed at one of its requests: before it leaves, or right after',
  killAtTime: 'a sandbox is killed at any time',
  pause: 'a sandbox stands still for a while, at a request or at any time',
  killLate: 'Lambda ends a sandbox seconds after its timeout',
  responseLost: 'an invocation ends well, and its answer is lost',
  clockJumps: 'the clock of a sandbox jumps, within the allowance',
  clockWrong: 'the clock of a sandbox is further off than the allowance',
  // Providers, and the handler's own work around the effect.
  providerFails: 'an effect is refused with an internal error, and was not applied',
  providerFailsApplied: 'an effect is applied, and answered with an internal error',
  providerHangs: 'an effect is not applied, and never answered',
  providerHangsApplied: 'an effect is applied, and never answered',
  providerLate: 'an effect is applied only after its caller may have given up',
  providerBusy: 'an effect is refused for now, and the provider says so',
  lookUpFails: 'a look-up fails, hangs, or cannot say',
  workFails: 'the handler fails before or after its effect',
} as const;

export type FaultName = keyof typeof faults;
export const faultNames = Object.keys(faults) as FaultName[];

/** How often each kind of fault happens, where it can: a share, 0 when it is switched off. */
export type FaultRates = Readonly<Record<FaultName, number>>;
