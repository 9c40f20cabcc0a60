import type { InStack } from './constructs.ts';
import type { AppScope, Resource } from './read-app.ts';

/**
 * What the values of templates lead to: also into another stack, a nested one or one that is imported from, and by a name or an ARN that is written
 * out. Each by the stack that it stands in.
 */
export interface References {
  /** The value itself. @throws Error if a rehearsal does not know it */
  value(stack: string, value: unknown): unknown;
  /** The queue of an ARN; `undefined` if it is none of this app. */
  queue(stack: string, arn: unknown): InStack | undefined;
  /** The function of a name or an ARN, also by way of an alias or a version. */
  function(stack: string, nameOrArn: unknown): InStack | undefined;
  /** All resources that exist. */
  readonly resources: readonly Resource[];
}

export function referencesOf({ stacks }: AppScope): References {
  const resources = stacks.flatMap((scope) => scope.resources);
  const value = (stack: string, given: unknown) =>
    stacks.find((scope) => scope.stack.stackName === stack)?.resolver.resolve(given);
  const text = (stack: string, given: unknown): string | undefined => {
    try {
      return String(value(stack, given));
    } catch {
      // It is in AWS alone.
      return undefined;
    }
  };
  const ofType = (type: string, isIt: (resource: Resource) => boolean): InStack | undefined =>
    resources.find((resource) => resource.type === type && isIt(resource));
  return {
    resources,
    value,
    queue(stack, arn) {
      const wanted = text(stack, arn);
      return ofType('AWS::SQS::Queue', ({ names }) => names.attributes['Arn'] === wanted);
    },
    function(stack, nameOrArn) {
      const wanted = functionName(text(stack, nameOrArn) ?? '').name;
      return ofType('AWS::Lambda::Function', ({ name }) => name === wanted);
    },
  };
}

/** A name or an ARN of a function, with its alias or its version. */
export function functionName(nameOrArn: string): { readonly name: string; readonly qualifier: string | undefined } {
  const [, name = '', qualifier] = /^(?:.*:function:)?([^:]+)(?::([^:]+))?$/.exec(nameOrArn) ?? [];
  return { name, qualifier };
}
