import type { InStack } from '../engine/app/constructs.ts';
import type { References } from '../engine/app/references.ts';
import type { Synthesized } from '../engine/app/synthesize.ts';

/** A timeout that is shorter in a rehearsal than in its template. */
export interface Shortened {
  readonly logicalId: string;
  /** The path of its construct: the same logical id may stand in several stacks. */
  readonly construct: string;
  readonly from: number;
  readonly to: number;
}

/** An app with shorter timeouts. */
export interface ShorterApp {
  readonly stacks: readonly Synthesized[];
  readonly shortened: readonly Shortened[];
  /** The constructs whose timeouts stay as they are, since a rehearsal does not know what their templates say. */
  readonly unread: readonly string[];
}

/** Lambda's and SQS's own values, of functions and queues that say none. */
const defaultTimeout = 3;
const defaultVisibility = 30;

/** A message that comes back meets no worker that is still allowed to run. */
const beyondTimeout = 2;

/**
 * Shortens the timeouts of functions, and the visibility timeouts of the queues that feed them: each kill costs one. Which of the two is the
 * longer one stays as it is, because a visibility timeout below its function's is a mistake that a rehearsal finds.
 *
 * A function and its queue may be in different stacks. What cannot be read stays as it is, with all that hangs together with it: only one of the two would
 * make a mistake, or hide one.
 */
export function shorten(stacks: readonly Synthesized[], references: References, longestSeconds: number): ShorterApp {
  const mappings = mappingsOf(references);
  const unread = unreadOf(references, mappings);
  const changes = new Map<string, Change>();
  const change = (at: InStack, property: Change['property'], from: number, to: number) => {
    // A queue that feeds several functions is as patient as the most patient of them.
    const longest = Math.max(to, changes.get(idOf(at))?.to ?? 0);
    const { logicalId, construct } = at;
    if (longest < from) changes.set(idOf(at), { property, logicalId, construct, from, to: longest });
    else changes.delete(idOf(at));
  };
  for (const fn of references.resources) {
    if (fn.type !== 'AWS::Lambda::Function' || unread.has(idOf(fn))) continue;
    const timeout = numberAt(references, fn, 'Timeout', defaultTimeout) ?? defaultTimeout;
    change(fn, 'Timeout', timeout, Math.min(longestSeconds, timeout));
  }
  for (const { queue, fn, window = 0 } of mappings) {
    if (unread.has(idOf(queue)) || unread.has(idOf(fn))) continue;
    const timeout = numberAt(references, fn, 'Timeout', defaultTimeout) ?? defaultTimeout;
    const visibility = numberAt(references, queue, 'VisibilityTimeout', defaultVisibility) ?? defaultVisibility;
    const short = Math.min(longestSeconds, timeout);
    change(queue, 'VisibilityTimeout', visibility, shortVisibility({ visibility, timeout, window }, short));
  }
  return {
    stacks: stacks.map((stack) => changed(stack, changes)),
    shortened: [...changes.values()].map(({ property: _, ...one }) => one),
    unread: references.resources.filter((one) => unread.has(idOf(one))).map(({ construct }) => construct),
  };
}

interface Change extends Shortened {
  readonly property: 'Timeout' | 'VisibilityTimeout';
}

/** A queue that feeds a function, as far as its template can be read. */
interface Mapping {
  readonly queue: InStack;
  readonly fn: InStack;
  /** `undefined`: it cannot be read. */
  readonly window: number | undefined;
}

function idOf({ stack, logicalId }: Pick<InStack, 'stack' | 'logicalId'>): string {
  return `${stack}/${logicalId}`;
}

function mappingsOf(references: References): readonly Mapping[] {
  return references.resources.flatMap((resource) => {
    if (resource.type !== 'AWS::Lambda::EventSourceMapping') return [];
    const { EventSourceArn, FunctionName } = resource.properties;
    const queue = references.queue(resource.stack, EventSourceArn);
    const fn = references.function(resource.stack, FunctionName);
    if (queue === undefined || fn === undefined) return [];
    return [{ queue, fn, window: numberAt(references, resource, 'MaximumBatchingWindowInSeconds', 0) }];
  });
}

/** What cannot be read, and what hangs together with it: a queue with its functions, and those with their other queues. */
function unreadOf(references: References, mappings: readonly Mapping[]): ReadonlySet<string> {
  const unread = new Set<string>();
  for (const one of references.resources) {
    const property = propertyOf[one.type];
    if (property !== undefined && numberAt(references, one, property, 0) === undefined) unread.add(idOf(one));
  }
  for (let before = -1; before !== unread.size; ) {
    before = unread.size;
    for (const { queue, fn, window } of mappings) {
      const both = [idOf(queue), idOf(fn)];
      if (window === undefined || both.some((id) => unread.has(id))) for (const id of both) unread.add(id);
    }
  }
  return unread;
}

const propertyOf: Readonly<Record<string, Change['property']>> = {
  'AWS::Lambda::Function': 'Timeout',
  'AWS::SQS::Queue': 'VisibilityTimeout',
};

/** A number of a template; `undefined` if it cannot be read. */
function numberAt(
  { resources, value }: References,
  at: Pick<InStack, 'stack' | 'logicalId'>,
  property: string,
  otherwise: number,
): number | undefined {
  const resource = resources.find((one) => idOf(one) === idOf(at));
  try {
    const number = Number(value(at.stack, resource?.properties[property]) ?? otherwise);
    return Number.isFinite(number) ? number : undefined;
  } catch {
    // A parameter without a value, or one that is read from AWS.
    return undefined;
  }
}

function changed(stack: Synthesized, changes: ReadonlyMap<string, Change>): Synthesized {
  const Resources = Object.entries(stack.template.Resources ?? {}).map(([logicalId, resource]) => {
    const change = changes.get(idOf({ stack: stack.stackName, logicalId }));
    if (change === undefined) return [logicalId, resource] as const;
    return [logicalId, { ...resource, Properties: { ...resource.Properties, [change.property]: change.to } }] as const;
  });
  return { ...stack, template: { ...stack.template, Resources: Object.fromEntries(Resources) } };
}

interface Seconds {
  readonly visibility: number;
  readonly timeout: number;
  readonly window: number;
}

/** The window stays as it is: a message that waits in it uses its visibility timeout up, and would come back before its function begins. */
function shortVisibility({ visibility, timeout, window }: Seconds, short: number): number {
  if (visibility >= timeout) return short + beyondTimeout + Math.min(window, visibility - timeout);
  return Math.max(1, Math.floor((visibility * short) / timeout));
}
