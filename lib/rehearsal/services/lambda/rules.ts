import { arnOf } from '../../engine/app/names.ts';
import {
  all,
  listed,
  listedIf,
  type NamedAt,
  type Naming,
  type PropertyRules,
  refusedUnless,
  run,
  runs,
  type TypeRules,
  withoutEffect,
} from '../../engine/app/rule.ts';

const functionRules = {
  ...all(run, 'FunctionName', 'Code', 'Handler', 'Runtime', 'Environment.Variables', 'Timeout', 'MemorySize'),
  ...all(run, 'ReservedConcurrentExecutions', 'DeadLetterConfig.TargetArn', 'PackageType'),
  ...all(withoutEffect, 'Role', 'Description', 'Tags', 'KmsKeyArn', 'LoggingConfig', 'TracingConfig'),
  ...all(withoutEffect, 'Architectures', 'RuntimeManagementConfig', 'CodeSigningConfigArn', 'SnapStart'),
  ...all(withoutEffect, 'RecursiveLoop', 'PublishToLatestPublished'),
  VpcConfig: withoutEffect,
  EphemeralStorage: withoutEffect,
  Layers: listed(
    'The function runs without its layers: what it imports has to be in its code, or installed in the project.',
  ),
  FileSystemConfigs: listed('There is no such file system.'),
  ImageConfig: listed('A rehearsal runs no container.'),
  DurableConfig: listed('The function has no durable execution.'),
  CapacityProviderConfig: listed('The function runs in sandboxes with one invocation at a time.'),
  TenancyConfig: listed('Tenants share their sandboxes.'),
  FunctionScalingConfig: listed('The function runs in sandboxes with one invocation at a time.'),
} satisfies PropertyRules;

const version = {
  ...all(run, 'FunctionName'),
  ...all(withoutEffect, 'Description', 'CodeSha256', 'ProvisionedConcurrencyConfig', 'RuntimePolicy'),
  ...all(withoutEffect, 'FunctionScalingConfig'),
} satisfies PropertyRules;

const alias = {
  ...all(run, 'FunctionName', 'FunctionVersion', 'Name'),
  ...all(withoutEffect, 'Description', 'ProvisionedConcurrencyConfig'),
  RoutingConfig: listed('All invocations of the alias go to the code of the template.'),
} satisfies PropertyRules;

const invokeConfig = {
  ...all(run, 'FunctionName', 'Qualifier', 'MaximumRetryAttempts', 'MaximumEventAgeInSeconds'),
  ...all(run, 'DestinationConfig.OnFailure.Destination', 'DestinationConfig.OnSuccess.Destination'),
} satisfies PropertyRules;

const mapping = {
  ...all(run, 'EventSourceArn', 'FunctionName', 'Enabled', 'BatchSize', 'MaximumBatchingWindowInSeconds'),
  ...all(run, 'FunctionResponseTypes', 'ScalingConfig.MaximumConcurrency', 'FilterCriteria.Filters'),
  ...all(run, 'StartingPosition', 'BisectBatchOnFunctionError', 'MaximumRetryAttempts', 'MaximumRecordAgeInSeconds'),
  ...all(run, 'DestinationConfig.OnFailure.Destination'),
  ...all(withoutEffect, 'KmsKeyArn', 'Tags', 'MetricsConfig', 'LoggingConfig'),
  ParallelizationFactor: listedIf((value) => Number(value) > 1, 'Each shard has one batch at a time.'),
  TumblingWindowInSeconds: refusedUnless(
    (value) => Number(value) === 0,
    'A rehearsal has no tumbling windows, and the function would get no state.',
  ),
  StartingPositionTimestamp: listed('The stream is read from its start.'),
  ProvisionedPollerConfig: listed('The mapping reads as one without provisioned pollers does.'),
} satisfies PropertyRules;

/** A template holds one version of a function: the one that is deployed with it. */
const qualified = (qualifierOf: (at: NamedAt) => string): Naming => ({
  names(_, at) {
    const qualifier = qualifierOf(at);
    const name = (at.text(at.properties['FunctionName']) ?? '').replace(/^arn:.*:function:/, '');
    const ref = arnOf('lambda', `function:${name}:${qualifier}`);
    return { ref, attributes: { Arn: ref, AliasArn: ref, FunctionArn: ref, Version: qualifier } };
  },
});

export const types: TypeRules = {
  'AWS::Lambda::Function': runs(functionRules, {
    property: 'FunctionName',
    isUnique: true,
    names: (name) => ({ ref: name, attributes: { Arn: arnOf('lambda', `function:${name}`) } }),
  }),
  'AWS::Lambda::Version': runs(
    version,
    qualified(() => '1'),
  ),
  'AWS::Lambda::Alias': runs(
    alias,
    qualified(({ text, properties }) => text(properties['Name']) ?? 'alias'),
  ),
  'AWS::Lambda::EventInvokeConfig': runs(invokeConfig),
  'AWS::Lambda::EventSourceMapping': runs(mapping),
  'AWS::Lambda::Permission': { kind: 'without-effect', named: true },
  'AWS::Lambda::CodeSigningConfig': { kind: 'without-effect' },
  'AWS::Lambda::LayerVersion': { kind: 'not-run', why: 'A rehearsal loads no layer.' },
};
