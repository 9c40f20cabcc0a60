import { expect } from '../kernel/check.ts';
import { claimDefaults } from '../kernel/defaults.ts';
import { type ExactRows, workflowOptions } from '../kernel/door-options.ts';
import { OptionError } from '../kernel/errors.ts';
import type { Host } from '../kernel/host.ts';
import { expectKinds } from '../kernel/option-kinds.ts';
import { expectOptions, ofObserve, ofOtherDoors } from '../kernel/take-options.ts';
import type { SqsHandler } from '../sqs/each-by.ts';
import { eachMessage } from '../sqs/each-message.ts';
import type { Message } from '../sqs/message.ts';
import { type SqsOptions, sqsRows } from '../sqs/options.ts';
import { inputText, startText, tooShort } from './start-execution.ts';
import type { NamedWorkflow, UnnamedWorkflow, Workflow } from './workflow.ts';

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
      }
    | {
        /** What is started. It has no names. */
        readonly workflow: UnnamedWorkflow;
        /** What becomes of a start whose answer was lost. There is no default. */
        readonly onAbandoned: SqsOptions<Body>['onAbandoned'];
      }
  );

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
  expectOptions(options, {
    door: 'startOnce',
    known,
    refused: { ...refused, ...ofOtherDoors(known) },
    docs: 'docs/guides/workflows.md',
  });
  const { workflow, input = ({ body }: Message<Body>) => body, ...rest } = options;
  expectWorkflow(workflow);
  expectKinds(workflowOptions, options);
  const consumer: SqsOptions<Body> = { ...rest, ...policyFor(workflow, options), marksEffect: true };
  return eachMessage(consumer, async (message, claim) => {
    const text = inputText(await input(message));
    return claim.effect(() => startText(claim, workflow, text));
  });
}

/** Beyond the target's memory of names, the retention of a claim is what it is elsewhere. */
function policyFor<Body>(workflow: Workflow, options: StartOnceOptions<Body>) {
  const { onAbandoned, retentionSeconds } = options;
  if (workflow.kind === 'unnamed') return { onAbandoned: onAbandoned as SqsOptions<Body>['onAbandoned'] };
  if (onAbandoned !== undefined) {
    throw new OptionError(
      'onAbandoned: startOnce does not take it for a target with names: a start whose answer was lost is recognised by its name',
      'other-door',
    );
  }
  const { remembersSeconds } = workflow;
  const kept = retentionSeconds ?? remembersSeconds + claimDefaults.retentionSeconds;
  const wrong = kept === 'forever' ? undefined : tooShort(kept, remembersSeconds);
  if (wrong !== undefined) throw new OptionError(wrong, 'wrong-time');
  return { onAbandoned: 'retry' as const, retentionSeconds: kept };
}

/** @throws OptionError */
function expectWorkflow(workflow: Workflow): void {
  const given: unknown = workflow;
  const isOne =
    typeof workflow?.start === 'function' && (workflow.kind === 'unnamed' || typeof workflow.describe === 'function');
  expect(isOne, 'workflow', 'stepFunctions({ … }), or a target of your own', given);
}
