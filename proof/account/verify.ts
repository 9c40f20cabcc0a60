import { randomBytes } from 'node:crypto';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Finding } from './fact.ts';
import { facts, findOut } from './facts.ts';
import { measureLatencies } from './latency.ts';
import type { Probe } from './probe.ts';
import type { Report } from './report.ts';
import { createStack, deleteStack, stackResources } from './stack.ts';

const patienceMs = 150_000;

export interface VerifyOptions {
  readonly region: string;
  /** In place of AWS. */
  readonly endpoint?: string;
  /** How often each request is measured. */
  readonly samples: number;
  /** Aborted when the run is to end: it cleans up, and throws the reason. */
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** The account could not be cleaned up. The message says what is left, and how to delete it. */
export class LeftoverError extends Error {
  override readonly name = 'LeftoverError';
}

/** Creates the stack, checks every fact, measures, and deletes the stack again, whatever happens. */
export async function verify(options: VerifyOptions): Promise<Report> {
  const begun = Date.now();
  const { region, endpoint, say, signal } = options;
  const config = { region, ...(endpoint === undefined ? {} : { endpoint }) };
  await using cleanUp = new AsyncDisposableStack();
  const client = <Client extends { destroy(): void }>(made: Client): Client =>
    cleanUp.adopt(made, (one) => one.destroy());
  const cloudFormation = client(new CloudFormationClient(config));
  const run = randomBytes(4).toString('hex');
  const name = `pawl-verify-account-${run}`;
  say(`creating the stack ${name}`);
  cleanUp.defer(() => removeStack(cloudFormation, name, options));
  // Not raced with the signal: the stack is deleted after the request to create it has its response.
  await createStack(cloudFormation, name);
  const probe: Probe = {
    dynamo: client(new DynamoDBClient(config)),
    sqs: client(new SQSClient(config)),
    lambda: client(new LambdaClient(config)),
    resources: await stackResources(cloudFormation, name, signal),
    patienceMs: patienceMs,
    run,
  };
  const found = await untilAborted(signal, () => findAllOut(probe, options));
  return {
    at: new Date(begun).toISOString(),
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...found,
    seconds: Math.round((Date.now() - begun) / 1000),
  };
}

async function findAllOut(probe: Probe, { samples, say, signal }: VerifyOptions) {
  const findings: Report['findings'][number][] = [];
  for (const one of facts) {
    signal.throwIfAborted();
    const { check: _, ...fact } = one;
    const finding: Finding = await findOut(one, probe);
    // Its stack may be gone by now.
    signal.throwIfAborted();
    say(`${finding.kind.padEnd(10)} ${fact.id}: ${finding.seen}`);
    findings.push({ ...fact, ...finding });
  }
  const latencies = await measureLatencies(probe, samples, (text) => {
    signal.throwIfAborted();
    say(text);
  });
  return { findings, latencies };
}

/** What is under way goes on beside the clean-up, and fails there: nobody waits for it any more. */
async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function removeStack(client: CloudFormationClient, name: string, { region, say }: VerifyOptions): Promise<void> {
  say(`deleting the stack ${name}`);
  try {
    await deleteStack(client, name);
    say('deleted: nothing is left');
  } catch (error) {
    throw new LeftoverError(
      `The stack ${name} could not be deleted: ${error instanceof Error ? error.message : String(error)}\n` +
        `Delete it: aws cloudformation delete-stack --region ${region} --stack-name ${name}`,
    );
  }
}
