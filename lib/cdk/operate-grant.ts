import { Stack } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { findFunctionActions, findStackActions, operateDeadLetterActions, operateQueueActions } from 'pawl/deployment';
import { functionBehind } from './seen.ts';

interface Operated {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly function: IFunction;
}

/** Permits `grantee` to operate a consumer, and to find its parts by the name of the stack that has the function. */
export function grantOperateConsumer(
  { queue, deadLetterQueue, function: aFunction }: Operated,
  grantee: IGrantable,
): Grant {
  const keys = new Set(
    [queue.encryptionMasterKey, deadLetterQueue.encryptionMasterKey].filter((key) => key !== undefined),
  );
  const on = (resourceArn: string, actions: readonly string[]) =>
    Grant.addToPrincipal({ grantee, actions: [...actions], resourceArns: [resourceArn] });
  const { functionArn } = functionBehind(aFunction);
  return [
    deadLetterQueue.grant(grantee, ...operateDeadLetterActions),
    queue.grant(grantee, ...operateQueueActions),
    ...Array.from(keys, (key) => key.grant(grantee, 'kms:Decrypt', 'kms:GenerateDataKey')),
    on(functionArn, findFunctionActions),
    // Of a nested stack, the operator knows the name of the outermost one: pawl reads all stacks on the way.
    ...stacksOf(aFunction).map(({ stackId }) => on(stackId, findStackActions)),
  ].reduce((all, one) => all.combine(one));
}

function stacksOf(aFunction: IFunction): readonly Stack[] {
  const stacks: Stack[] = [];
  for (let stack: Stack | undefined = Stack.of(aFunction); stack !== undefined; stack = stack.nestedStackParent)
    stacks.push(stack);
  return stacks;
}
