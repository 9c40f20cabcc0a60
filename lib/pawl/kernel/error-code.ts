/**
 * Where each message is explained. The codes of pawl's messages are the headings of docs/errors.md; a test holds both lists together.
 *
 * Owns: the codes, and the words with which a message ends. Does not own: the messages. It imports nothing, so that a stack that deploys pawl does
 * not load the runtime for it.
 */
export const errorCodes = [
  // What is set up wrongly.
  'wrong-option',
  'unknown-option',
  'other-door',
  'missing-environment',
  'wrong-key-option',
  'wrong-lease',
  'wrong-time',
  'wrong-mode',
  'wrong-dead-letters',
  'wrong-store',
  'no-way-to-sqs',
  'memory-in-lambda',
  'test-calls-aws',
  'wrong-handler',
  'wired-wrongly',
  'command-line',
  // The table, the queues, and the permission to use them.
  'missing-table',
  'wrong-table-key',
  'not-restored',
  'access-denied',
  'credentials',
  'region',
  'missing-queue',
  'missing-destination',
  'store-unavailable',
  'queue-unavailable',
  'foreign-item',
  // What Lambda hands over.
  'wrong-event',
  'parsed-body',
  'missing-context',
  // Messages and requests.
  'missing-key',
  'invalid-key',
  'invalid-message',
  'no-fingerprint',
  'author-error',
  'key-reused',
  // Handlers.
  'effect-not-marked',
  'second-effect',
  'nested-step',
  'late-effect',
  'copied-claim',
  'only-observed',
  'lease-over',
  'step-in-doubt',
  'step-result',
  'not-committed',
  'transaction-over',
  'misunderstood-response',
  'failed-in-batch',
  'not-final',
  'effect-no-function',
  'generator',
  'not-awaited',
  // Executions.
  'start-refused',
  'start-in-doubt',
  'other-input',
  'name-forgotten',
  // Calls of once.
  'call-not-done',
  'result-not-kept',
  'changed-result',
  // What a process shows of its set-up.
  'same-operation',
  'nothing-ignored',
  // Middy.
  'old-middy',
  'used-twice',
  'early-response',
  'early-timeout',
  // Locks.
  'resources-busy',
  'work-unfinished',
  'lock-kept',
  'nested-lock',
  'not-locked',
  'work-changed',
  'chunk-refused',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/**
 * A page of `docs/`, as a project that has installed pawl finds it: of the version that speaks, and without a network. The build checks that what is
 * published has it.
 */
export const pageAt = (page: string): string => `node_modules/pawl/${page}`;

const errorsPage = pageAt('docs/errors.md#');

/** Where to read more: on the page of errors, and before it on the page of the door, if the message names one. */
const page = / See (?:\S+ and )?node_modules\/pawl\/docs\/errors\.md#/;

/** A message with where to read more at its end. One that quotes another message keeps the place that is named there: that is the cause. */
export function explained(message: string, code: ErrorCode): string {
  if (page.test(message)) return message;
  const ofDoor = / See node_modules\/pawl\/docs\/\S+\.$/;
  // Two sentences that send to two pages read as if the second were a mistake.
  if (ofDoor.test(message)) return `${message.slice(0, -1)} and ${errorsPage}${code}`;
  return `${message}${/[.!?]$/.test(message) ? '' : '.'} See ${errorsPage}${code}`;
}

/** What a message says, without where to read more: for a message that goes on after it. */
export function withoutPage(message: string): string {
  return message.split(page)[0]?.replace(/\.$/, '') ?? message;
}
