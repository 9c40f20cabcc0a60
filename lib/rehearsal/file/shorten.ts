import type { Synthesized } from '../synthesize.ts';
import { record, type TemplateResource } from '../template.ts';

/** A timeout that is shorter in a rehearsal than in its template. */
export interface Shortened {
  readonly logicalId: string;
  readonly from: number;
  readonly to: number;
}

type Resources = Readonly<Record<string, TemplateResource>>;

/** Lambda's and SQS's own values, of functions and queues that say none. */
const DEFAULT_TIMEOUT = 3;
const DEFAULT_VISIBILITY = 30;

/** A message that comes back meets no worker that is still allowed to run. */
const BEYOND_TIMEOUT = 2;

/**
 * Shortens the timeouts of functions, and the visibility timeouts of the queues that feed them: each kill costs one. Which of the two is the
 * longer one stays as it is, because a visibility timeout below its function's is a mistake that a rehearsal finds.
 */
export function shorten(
  stack: Synthesized,
  longestSeconds: number,
): { readonly stack: Synthesized; readonly shortened: readonly Shortened[] } {
  const { Resources } = stack.template;
  const shortened: Shortened[] = [];
  const changed: Record<string, TemplateResource> = { ...Resources };
  const change = (logicalId: string, property: string, from: number, to: number) => {
    if (to >= from) return;
    const resource = changed[logicalId];
    if (resource === undefined) return;
    changed[logicalId] = { ...resource, Properties: { ...resource.Properties, [property]: to } };
    shortened.push({ logicalId, from, to });
  };
  for (const [logicalId, { Type, Properties }] of Object.entries(Resources)) {
    if (Type === 'AWS::Lambda::Function')
      change(logicalId, 'Timeout', timeoutOf(Properties), Math.min(longestSeconds, timeoutOf(Properties)));
    if (Type !== 'AWS::Lambda::EventSourceMapping') continue;
    const queue = mentioned(Resources, record(Properties)['EventSourceArn'], 'AWS::SQS::Queue');
    const fn = mentioned(Resources, record(Properties)['FunctionName'], 'AWS::Lambda::Function');
    if (queue === undefined || fn === undefined) continue;
    const timeout = timeoutOf(Resources[fn]?.Properties);
    const visibility = numberOf(record(Resources[queue]?.Properties)['VisibilityTimeout'], DEFAULT_VISIBILITY);
    const window = numberOf(record(Properties)['MaximumBatchingWindowInSeconds'], 0);
    const short = Math.min(longestSeconds, timeout);
    change(queue, 'VisibilityTimeout', visibility, shortVisibility({ visibility, timeout, window }, short));
  }
  return { stack: { ...stack, template: { ...stack.template, Resources: changed } }, shortened };
}

interface Seconds {
  readonly visibility: number;
  readonly timeout: number;
  readonly window: number;
}

/** The window stays as it is: a message that waits in it uses its visibility timeout up, and would come back before its function begins. */
function shortVisibility({ visibility, timeout, window }: Seconds, short: number): number {
  if (visibility >= timeout) return short + BEYOND_TIMEOUT + Math.min(window, visibility - timeout);
  return Math.max(1, Math.floor((visibility * short) / timeout));
}

function timeoutOf(properties: unknown): number {
  return numberOf(record(properties)['Timeout'], DEFAULT_TIMEOUT);
}

function numberOf(value: unknown, otherwise: number): number {
  const number = Number(value ?? otherwise);
  return Number.isFinite(number) ? number : otherwise;
}

/** The resource of a type that a value refers to, also by way of an alias or a version. */
export function mentioned(resources: Resources, value: unknown, type: string, depth = 0): string | undefined {
  for (const logicalId of logicalIdsIn(value)) {
    const resource = resources[logicalId];
    if (resource?.Type === type) return logicalId;
    const behind = record(resource?.Properties)['FunctionName'];
    if (behind === undefined || depth > 3) continue;
    const found = mentioned(resources, behind, type, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function logicalIdsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(logicalIdsIn);
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === 'Ref') return [String(inner)];
    if (name !== 'Fn::GetAtt') return logicalIdsIn(inner);
    return [Array.isArray(inner) ? String(inner[0]) : (String(inner).split('.')[0] ?? '')];
  });
}
