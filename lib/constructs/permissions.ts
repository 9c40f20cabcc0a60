import { CfnResource, Stack } from 'aws-cdk-lib';
import { CfnManagedPolicy, CfnPolicy, CfnRole, type IRole } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';

/** What a function needs of one resource. */
export interface Need {
  readonly actions: readonly string[];
  readonly resourceArn: string;
  /** What the resource is, for the message. */
  readonly of: string;
}

interface Statement {
  /** Where it stands: what it refers to is written differently in another stack. */
  readonly stack: Stack;
  readonly Effect?: string;
  readonly Action?: string | readonly string[];
  readonly Resource?: unknown;
  readonly Condition?: unknown;
}

/**
 * The permissions that the function's role does not have, one sentence per resource.
 *
 * A grant cannot be trusted to have done anything: for a role that was imported as immutable, and for a function that was
 * imported without its role, CDK drops it and reports success. So what counts is what the template's policies say.
 */
export function missingPermissions(aFunction: IFunction, needs: readonly Need[]): string[] {
  const role = aFunction.role;
  const statements = role === undefined ? [] : statementsOf(role);
  const fix =
    role === undefined
      ? 'Import the function with its role (Function.fromFunctionAttributes), or give the permissions where the role is made'
      : 'Import the role as mutable, or give the permissions where it is made';
  return needs.flatMap(({ actions, resourceArn, of }) => {
    const about = (effect: string, action: string) =>
      statements.some((one) => one.Effect === effect && covers(one, action, resourceArn));
    const denied = actions.filter((action) => about('Deny', action));
    const missing = actions.filter((action) => !denied.includes(action) && !about('Allow', action));
    const problems: string[] = [];
    if (missing.length > 0) {
      problems.push(
        `The function may not ${missing.join(', ')} on ${of}, and its role takes no grants. ${fix} and set externalPermissions: true.`,
      );
    }
    if (denied.length > 0) {
      problems.push(
        `The function may not ${denied.join(', ')} on ${of}: a policy of its role denies it, and no grant outweighs that. ` +
          'Take the denial away.',
      );
    }
    return problems;
  });
}

/** What the policies in the app permit a role, whether they are inline, attached, or managed. */
function statementsOf(role: IRole): readonly Statement[] {
  const resources = role.node.root.node.findAll().filter((node) => CfnResource.isCfnResource(node));
  const ours = resources.filter((node) => node.cfnResourceType === CfnRole.CFN_RESOURCE_TYPE_NAME && isRef(role, node));
  const managed = ours.flatMap((node) => listIn(node, (node as CfnRole).managedPolicyArns));
  return resources.flatMap((node) =>
    documentsFor(role, node, managed).flatMap((document) => {
      const { Statement = [] } = (document ?? {}) as { readonly Statement?: readonly object[] };
      return Statement.map((statement) => ({ ...statement, stack: Stack.of(node) }));
    }),
  );
}

/** The policy documents in `node` that apply to the role, which has these managed policies. */
function documentsFor(role: IRole, node: CfnResource, managed: readonly unknown[]): readonly unknown[] {
  switch (node.cfnResourceType) {
    case CfnPolicy.CFN_RESOURCE_TYPE_NAME:
    case CfnManagedPolicy.CFN_RESOURCE_TYPE_NAME: {
      const { roles, policyDocument, ref } = node as CfnPolicy | CfnManagedPolicy;
      const name = resolve(node, role.roleName);
      const applies =
        listIn(node, roles).some((one) => same(one, name)) || managed.some((arn) => same(arn, resolve(node, ref)));
      return applies ? [resolve(node, policyDocument)] : [];
    }
    case CfnRole.CFN_RESOURCE_TYPE_NAME: {
      const inline = isRef(role, node) ? listIn(node, (node as CfnRole).policies) : [];
      return inline.map((policy) => (policy as { readonly policyDocument?: unknown }).policyDocument);
    }
    default:
      return [];
  }
}

function isRef(role: IRole, node: CfnResource): boolean {
  return same(resolve(node, node.ref), resolve(node, role.roleName));
}

function listIn(node: CfnResource, value: unknown): readonly unknown[] {
  return (resolve(node, value) ?? []) as readonly unknown[];
}

function resolve(node: CfnResource, value: unknown): unknown {
  return Stack.of(node).resolve(value);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What a condition restricts is known at run time only: permissions are taken to have theirs met, and denials not to. */
function covers(
  { stack, Effect, Condition, Action = [], Resource = [] }: Statement,
  action: string,
  arn: string,
): boolean {
  if (Effect === 'Deny' && Condition !== undefined) return false;
  const wanted: unknown = stack.resolve(arn);
  return (
    [Action].flat().some((pattern) => matches(pattern, action)) &&
    [Resource].flat().some((one) => same(one, wanted) || textMatches(one, arn))
  );
}

/** Of a pattern with references in it nothing is known, unless it is the very ARN. */
function textMatches(pattern: unknown, text: string): boolean {
  return typeof pattern === 'string' && matches(pattern, text);
}

/** IAM's patterns: `*` is any text, `?` any character, and case counts in resources only. */
function matches(pattern: string, text: string): boolean {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i').test(text);
}
