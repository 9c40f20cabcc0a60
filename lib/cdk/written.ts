import type { CfnResource } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Writes a property of the template itself, by its path in CloudFormation's names.
 *
 * An earlier CDK ignores an option that it does not know, and says nothing: a table would have no recovery, and a function no logs.
 *
 * @param construct one with a single resource, made by this library
 */
export function write(construct: IConstruct, path: string, value: unknown): void {
  (construct.node.defaultChild as CfnResource).addPropertyOverride(path, value);
}
