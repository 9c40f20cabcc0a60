import { setTimeout as sleep } from 'node:timers/promises';
import { type AttributeValue, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { list, record } from '../../lib/rehearsal/engine/app/template.ts';
import type { Resources } from './template.ts';

/** What the checks work with: an account, or what stands in for it. */
export interface Probe {
  readonly dynamo: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly lambda: LambdaClient;
  readonly resources: Resources;
  /** How long to wait for what takes time, in milliseconds. */
  readonly patienceMs: number;
  /** Of each run its own, so that no check meets the traces of another one. */
  readonly run: string;
}

/** What a delivery left behind: when it was, in which invocation, and what it saw. */
export interface Note {
  readonly at: number;
  readonly request: string;
  readonly what: string;
}

/** Runs a function of the stack. @throws Error if it fails */
export async function invoke(
  { lambda }: Probe,
  FunctionName: string,
  event: unknown,
): Promise<Record<string, unknown>> {
  const Payload = Buffer.from(JSON.stringify(event));
  const { FunctionError, Payload: response } = await lambda.send(new InvokeCommand({ FunctionName, Payload }));
  const text = Buffer.from(response ?? []).toString('utf8');
  if (FunctionError !== undefined) throw new Error(`the function ${FunctionName} failed: ${text}`);
  return { ...record(JSON.parse(text)) };
}

export async function get(
  { dynamo, resources }: Probe,
  id: string,
): Promise<Record<string, AttributeValue> | undefined> {
  const Key = { id: { S: id } };
  return (await dynamo.send(new GetItemCommand({ TableName: resources.Table, Key, ConsistentRead: true }))).Item;
}

/** Waits until the worker has noted so many deliveries. Returns the notes that there are when the patience ends, too. */
export async function notesOf(probe: Probe, id: string, wanted: number): Promise<readonly Note[]> {
  const until = Date.now() + probe.patienceMs;
  for (;;) {
    const item = await get(probe, `note#${id}`);
    const notes = (item?.['seen']?.L ?? []).map(({ M: note }) => ({
      at: Number(note?.['at']?.N),
      request: note?.['request']?.S ?? '',
      what: note?.['what']?.S ?? '',
    }));
    if (notes.length >= wanted || Date.now() >= until) return notes;
    await sleep(Math.min(500, probe.patienceMs / 4));
  }
}

/** A message to the worker, which gives it back at its first receive if it has seconds. */
export interface Errand {
  readonly id: string;
  readonly seconds?: number;
}

export async function sendErrands({ sqs, resources }: Probe, errands: readonly Errand[]): Promise<void> {
  const Entries = errands.map((errand, index) => ({ Id: String(index), MessageBody: JSON.stringify(errand) }));
  const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: resources.Queue, Entries }));
  if (Failed.length > 0) throw new Error(`SQS refused ${Failed.length} messages: ${list(Failed)[0]}`);
}
