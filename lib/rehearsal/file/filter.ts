import { constructOf, isAt } from '../constructs.ts';
import type { Synthesized } from '../synthesize.ts';
import { mentioned } from './shorten.ts';

/** A stack whose only event sources are those of the wanted consumer: its function, its mapping or its queue is at that construct. */
export function filtered(stack: Synthesized, wanted: string): Synthesized {
  const { Resources } = stack.template;
  const isWanted = (logicalId: string | undefined) => {
    const resource = logicalId === undefined ? undefined : Resources[logicalId];
    return logicalId !== undefined && resource !== undefined && isAt(constructOf(logicalId, resource), wanted);
  };
  const kept = Object.entries(Resources).filter(([logicalId, { Type, Properties = {} }]) => {
    if (Type !== 'AWS::Lambda::EventSourceMapping') return true;
    const fn = mentioned(Resources, Properties['FunctionName'], 'AWS::Lambda::Function');
    const queue = mentioned(Resources, Properties['EventSourceArn'], 'AWS::SQS::Queue');
    return isWanted(logicalId) || isWanted(fn) || isWanted(queue);
  });
  return { ...stack, template: { ...stack.template, Resources: Object.fromEntries(kept) } };
}
