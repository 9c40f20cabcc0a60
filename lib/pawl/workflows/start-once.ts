import type { Claim } from '../engine/claim.ts';
import { type ExactRows, workflowOptions } from '../kernel/door-options.ts';
import { OptionError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { expectKinds } from '../kernel/option-kinds.ts';
import { expectOptions, ofObserve, ofOtherDoors } from '../kernel/take-options.ts';
import type { SqsHandler } from '../sqs/each-by.ts';
import { eachMessage } from '../sqs/each-message.ts';
import type { Message } from '../sqs/message.ts';
import { type SqsOptions, sqsRows } from '../sqs/options.ts';
import { expectStartable, inputText, startText } from './start-execution.ts';
import { startAndWait } from './waiting-claims.ts';
import { retentionFor, type WaitForEnd, waitForEndNames, waitingClaims } from './waiting-options.ts';
import { expectNamed, expectWorkflow, type NamedWorkflow, type UnnamedWorkflow } from './workflow.ts';

/** What every `startOnce` has, whatever it starts. */
interface StartOptions<Body>
  extends Omit<
    SqsOptions<Body>,
    'onAbandoned' | 'marksEffect' | 'recordResult' | 'maxResultBytes' | keyof typeof ofObserve
  > {
  /**
   * What an execution is started with: anything that can be written as JSON. The same at each attempt, so without times and random values.
   * @default the body of the message
   */
  readonly input?: (message: Message<Body>) => unknown;
}

/**
 * The options of `startOnce`: those of `eachMessage`, what is started, and with which input.
 *
 * @example
 * import { bodyField } from 'pawl/sqs';
 *
 * const options: StartOnceOptions<Order> = {
 *   operation: 'settle',
 *   store,
 *   schema: Order,
 *   key: bodyField('id'),
 *   workflow,
 *   input: ({ body }) => ({ orderId: body.id }),
 * };
 */
export type StartOnceOptions<Body> = StartOptions<Body> &
  (
    | {
        /** What is started. It remembers names, so a start whose answer was lost is recognised by its name. */
        readonly workflow: NamedWorkflow;
        readonly onAbandoned?: undefined;
        /**
         * Lets a claim wait for the end of the execution. The message is done as soon as the start is certain. `executionEnded` and `waitingExecutions` need the
         * same options.
         * @default nothing waits
         */
        readonly waitForEnd?: WaitForEnd;
      }
    | {
        /** What is started. It has no names. */
        readonly workflow: UnnamedWorkflow;
        /** What becomes of a start whose answer was lost. There is no default. */
        readonly onAbandoned: SqsOptions<Body>['onAbandoned'];
        readonly waitForEnd?: undefined;
      }
  );

const docs = 'docs/guides/workflows.md';
const ofHandlers = 'the start is all that it does, and its one effect; leave it out';
const refused = {
  ...ofObserve,
  marksEffect: ofHandlers,
  recordResult: ofHandlers,
  maxResultBytes: ofHandlers,
};
const rows = { ...sqsRows, ...workflowOptions };
type Refused = Record<keyof typeof refused, unknown>;
const known = rows satisfies ExactRows<StartOnceOptions<unknown> & Refused, typeof rows>;

/**
 * A Lambda handler for an SQS queue that starts one execution for each key. Needs `ReportBatchItemFailures` on the event source.
 *
 * A message is done once its start is certain. A later copy of it starts nothing, and neither does a redrive or a second send of its producer.
 *
 * @throws OptionError at once when an option is missing or out of range
 * @example
 * import { SFNClient } from '@aws-sdk/client-sfn';
 * import { bodyField } from 'pawl/sqs';
 * import { stepFunctions } from 'pawl/workflows/step-functions';
 *
 * export const handler = startOnce({
 *   operation: 'settle',
 *   store,
 *   schema: Order,
 *   key: bodyField('id'),
 *   workflow: stepFunctions({ client: new SFNClient({}), stateMachineArn: process.env.STATE_MACHINE_ARN, type: 'STANDARD' }),
 * });
 */
export function startOnce<Body>(options: StartOnceOptions<Body> & { readonly host?: Host }): SqsHandler {
  expectOptions(options, { door: 'startOnce', known, refused: { ...refused, ...ofOtherDoors(known) }, docs });
  const { workflow, input = ({ body }: Message<Body>) => body, waitForEnd, ...rest } = options;
  expectWorkflow(workflow);
  expectKinds(workflowOptions, options);
  const policy = policyFor(options);
  const start = startOf(options);
  return eachMessage<Body>({ ...rest, ...policy, marksEffect: true }, async (message, claim) => {
    const text = inputText(await input(message));
    return claim.effect(() => start(claim, text));
  });
}

/** How an execution is started under the claim of its message. @throws OptionError */
function startOf<Body>(options: StartOnceOptions<Body> & { readonly host?: Host }) {
  const { workflow, waitForEnd, operation, store, retentionSeconds, onEvent, host } = options;
  if (waitForEnd === undefined) {
    return async (claim: Claim, text: string): Promise<void> => void (await startText(claim, workflow, text));
  }
  expectOptions(waitForEnd, { door: 'startOnce', within: 'waitForEnd', known: waitForEndNames, docs });
  expectNamed(workflow);
  const waiting = waitingClaims({
    ...waitForEnd,
    operation,
    store,
    workflow: workflow as NamedWorkflow,
    ...(retentionSeconds !== undefined && { retentionSeconds }),
    ...(onEvent && { onEvent }),
    ...(host && { host }),
  });
  return async (claim: Claim, text: string): Promise<void> => {
    expectStartable(claim, workflow);
    await startAndWait(waiting, claim, text);
  };
}

/** A start whose answer was lost is recognised by its name, or decided by its author. @throws OptionError */
function policyFor<Body>({ workflow, onAbandoned, retentionSeconds }: StartOnceOptions<Body>) {
  if (workflow.kind === 'unnamed') return { onAbandoned: onAbandoned as SqsOptions<Body>['onAbandoned'] };
  if (onAbandoned !== undefined) {
    throw new OptionError(
      'onAbandoned: startOnce does not take it for a target with names: a start whose answer was lost is recognised by its name',
      'other-door',
    );
  }
  return { onAbandoned: 'retry' as const, retentionSeconds: retentionFor(workflow, retentionSeconds) };
}
