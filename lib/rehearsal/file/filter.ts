import { isAt } from '../engine/app/constructs.ts';
import type { References } from '../engine/app/references.ts';
import type { Synthesized } from '../engine/app/synthesize.ts';

/** Stacks whose only event sources are those of the wanted consumer: its function, its mapping or its queue is at that construct. */
export function filtered(
  stacks: readonly Synthesized[],
  references: References,
  wanted: string,
): readonly Synthesized[] {
  const isLeftOut = (stack: string, logicalId: string) => {
    const mapping = references.resources.find((one) => one.stack === stack && one.logicalId === logicalId);
    if (mapping?.type !== 'AWS::Lambda::EventSourceMapping') return false;
    const { EventSourceArn, FunctionName } = mapping.properties;
    const places = [mapping, references.function(stack, FunctionName), references.queue(stack, EventSourceArn)];
    return !places.some((place) => place !== undefined && isAt(place.construct, wanted));
  };
  return stacks.map((stack) => {
    const kept = Object.entries(stack.template.Resources ?? {}).filter(([id]) => !isLeftOut(stack.stackName, id));
    return { ...stack, template: { ...stack.template, Resources: Object.fromEntries(kept) } };
  });
}
