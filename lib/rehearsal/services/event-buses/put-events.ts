import { randomUUID } from 'node:crypto';
import { jsonIn, list, rehearsedAccount, rehearsedRegion } from '../../engine/app/template.ts';
import type { Destinations } from '../../engine/destinations.ts';
import { matchesPattern } from '../../engine/event-pattern.ts';
import type { FunctionPlace } from '../../engine/lambda/functions.ts';
import type { ProvisionedRule } from './read-buses.ts';
import { busArn, defaultBus } from './rules.ts';

/** An event as a target gets it. */
interface BusEvent {
  readonly id: string;
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: unknown;
  readonly [name: string]: unknown;
}

/** A bus delivers at least once. This makes it deliver twice. */
export interface EventFaults {
  readonly deliversTwice?: (event: BusEvent) => boolean;
}

export interface EventDelivery {
  /** What happens to the events that a rule matches. */
  readonly eventDelivery?: (rule: FunctionPlace) => EventFaults | undefined;
}

/** An entry of `PutEvents`, as its caller sends it. */
type Entry = Readonly<Record<string, unknown>>;

/** Carries `PutEvents` out. Returns what EventBridge says. */
export type Put = (entries: readonly Entry[]) => Promise<{ readonly status: number; readonly body: Entry }>;

/** What a request may hold. */
const mostEntries = 10;
const mostBytes = 2 ** 18;

/**
 * Carries `PutEvents` out: each event goes to the targets of each rule that matches it, before the caller has its response. An event for a bus that is not
 * in the app is taken, and reaches no target, as in AWS.
 */
export async function putEvents(
  entries: readonly Entry[],
  rules: readonly ProvisionedRule[],
  { destinations, faults }: { readonly destinations: Destinations; readonly faults: EventDelivery },
): ReturnType<Put> {
  const refused = problemOf(entries);
  if (refused !== undefined) return { status: 400, body: { __type: 'ValidationException', message: refused } };
  const put = entries.map((entry) => ({ entry, event: eventOf(entry) }));
  for (const { entry, event } of put) {
    if ('ErrorCode' in event) continue;
    for (const rule of rules.filter((one) => one.busArn === busOf(entry) && matchesPattern(one.pattern, event))) {
      const { stack, construct } = rule;
      const times = faults.eventDelivery?.({ stack, construct })?.deliversTwice?.(event) ? 2 : 1;
      for (let time = 0; time < times; time += 1) {
        for (const { arn, input, groupId } of rule.targets) await destinations.send(arn, input ?? event, {}, groupId);
      }
    }
  }
  return {
    status: 200,
    body: {
      FailedEntryCount: put.filter(({ event }) => 'ErrorCode' in event).length,
      Entries: put.map(({ event }) => ('ErrorCode' in event ? event : { EventId: event.id })),
    },
  };
}

function problemOf(entries: readonly Entry[]): string | undefined {
  if (entries.length === 0 || entries.length > mostEntries) {
    return `Entries: expected 1 to ${mostEntries} of them; got ${entries.length}.`;
  }
  const bytes = entries.flatMap(({ Source, DetailType, Detail }) => [Source, DetailType, Detail]);
  const sum = bytes.reduce<number>((all, text) => all + Buffer.byteLength(String(text ?? '')), 0);
  return sum > mostBytes
    ? `Total size of the entries in the request is over the limit of ${mostBytes} bytes.`
    : undefined;
}

function busOf({ EventBusName }: Entry): string {
  const bus = String(EventBusName ?? defaultBus);
  return bus.startsWith('arn:') ? bus : busArn(bus);
}

interface Failed {
  readonly ErrorCode: string;
  readonly ErrorMessage: string;
}

function eventOf({ Source, DetailType, Detail, Resources, Time }: Entry): BusEvent | Failed {
  for (const [name, given] of Object.entries({ Source, DetailType, Detail })) {
    if (typeof given === 'string' && given !== '') continue;
    return {
      ErrorCode: 'InvalidArgument',
      ErrorMessage: `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
    };
  }
  const source = String(Source);
  if (source.startsWith('aws.')) {
    return { ErrorCode: 'NotAuthorizedForSourceException', ErrorMessage: `Not authorized for the source ${source}.` };
  }
  const detail = jsonIn(String(Detail));
  if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) {
    return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  }
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': String(DetailType),
    source,
    account: rehearsedAccount,
    time: `${new Date(Time === undefined ? Date.now() : Number(Time) * 1000).toISOString().slice(0, 19)}Z`,
    region: rehearsedRegion,
    resources: list(Resources),
    detail,
  };
}
