import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { CfnFunction, IFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { expect, test } from 'vitest';
import { ClaimsTable, ExecutionEnds, OpenClaimsSweep, OutboxRelay, OutboxTable } from '../../lib/cdk/index.ts';
import { machines } from '../support/step-functions.ts';
import { addConsumer, emptyStack, entryFile, lockFile } from './support.ts';

const bundled = { entry: entryFile, depsLockFilePath: lockFile };
const claimsIn = (stack: Stack) => new ClaimsTable(stack, 'Claims').table;

const makers: Readonly<Record<string, (stack: Stack) => IFunction>> = {
  Consumer: (stack) => addConsumer(stack).function,
  OpenClaimsSweep: (stack) =>
    new OpenClaimsSweep(stack, 'Sweep', { ...bundled, claimsTable: claimsIn(stack) }).function,
  OutboxRelay(stack) {
    const { table } = new OutboxTable(stack, 'Outbox');
    const destinations = [new Queue(stack, 'Receipts')];
    return new OutboxRelay(stack, 'Relay', { ...bundled, outboxTable: table, destinations }).function;
  },
  ExecutionEnds(stack) {
    const claimsTable = claimsIn(stack);
    const sweep = new OpenClaimsSweep(stack, 'Sweep', { ...bundled, claimsTable }).function;
    const workflow = StateMachine.fromStateMachineArn(stack, 'Settle', machines.standard);
    return new ExecutionEnds(stack, 'Ends', { ...bundled, claimsTable, sweep, workflow }).function;
  },
};

test.each(Object.entries(makers))(
  'a secret that is put into the environment of the function of %s behind its back is refused, and its ARN is not',
  (_, make) => {
    const synthesizedWith = (value: string) => () => {
      const stack = emptyStack('eu-west-1', '123456789012');
      const made = make(stack).node.defaultChild as CfnFunction;
      made.addPropertyOverride('Environment.Variables.API_KEY', value);
      return Template.fromStack(stack);
    };
    expect(synthesizedWith('{{resolve:secretsmanager:key:SecretString}}')).toThrow(
      "environment.API_KEY holds a secret's value",
    );
    expect(synthesizedWith('arn:aws:secretsmanager:eu-west-1:123456789012:secret:key')).not.toThrow();
  },
);
