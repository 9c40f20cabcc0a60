import { all, listed, listedIf, type PropertyRules, refusedUnless, run, withoutEffect } from '../../engine/app/rule.ts';
import { record } from '../../engine/app/template.ts';

/** Functions, and what invokes them. */

const FUNCTION = {
  ...all(run, 'FunctionName', 'Code', 'Handler', 'Runtime', 'Environment.Variables', 'Timeout', 'MemorySize'),
  ...all(run, 'ReservedConcurrentExecutions', 'DeadLetterConfig.TargetArn', 'PackageType'),
  ...all(withoutEffect, 'Role', 'Description', 'Tags', 'KmsKeyArn', 'LoggingConfig', 'TracingConfig', 'Architectures'),
  ...all(withoutEffect, 'RuntimeManagementConfig', 'CodeSigningConfigArn', 'SnapStart', 'RecursiveLoop'),
  ...all(withoutEffect, 'PublishToLatestPublished'),
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

const VERSION = {
  ...all(run, 'FunctionName'),
  ...all(
    withoutEffect,
    'Description',
    'CodeSha256',
    'ProvisionedConcurrencyConfig',
    'RuntimePolicy',
    'FunctionScalingConfig',
  ),
} satisfies PropertyRules;

const ALIAS = {
  ...all(run, 'FunctionName', 'FunctionVersion', 'Name'),
  ...all(withoutEffect, 'Description', 'ProvisionedConcurrencyConfig'),
  RoutingConfig: listed('All invocations of the alias go to the code of the template.'),
} satisfies PropertyRules;

const URL = {
  ...all(run, 'TargetFunctionArn', 'Qualifier', 'InvokeMode'),
  InvokeMode: listedIf((value) => value === 'RESPONSE_STREAM', 'The response is sent as a whole.'),
  AuthType: listedIf((value) => value !== 'NONE', 'Every request is accepted, signed or not.'),
  Cors: listed('No header of CORS is added, and no preflight request is answered.'),
} satisfies PropertyRules;

const INVOKE_CONFIG = {
  ...all(run, 'FunctionName', 'Qualifier', 'MaximumRetryAttempts', 'MaximumEventAgeInSeconds'),
  ...all(run, 'DestinationConfig.OnFailure.Destination', 'DestinationConfig.OnSuccess.Destination'),
} satisfies PropertyRules;

const MAPPING = {
  ...all(run, 'EventSourceArn', 'FunctionName', 'Enabled', 'BatchSize', 'MaximumBatchingWindowInSeconds'),
  ...all(
    run,
    'FunctionResponseTypes',
    'ScalingConfig.MaximumConcurrency',
    'FilterCriteria.Filters',
    'StartingPosition',
  ),
  ...all(run, 'BisectBatchOnFunctionError', 'MaximumRetryAttempts', 'MaximumRecordAgeInSeconds'),
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

const RULE = {
  ...all(run, 'Name', 'ScheduleExpression', 'State', 'Targets.Arn', 'Targets.Id', 'Targets.Input'),
  ...all(run, 'Targets.SqsParameters'),
  'Targets.DeadLetterConfig': listed('An event that its target refuses is in no dead-letter queue.'),
  'Targets.RetryPolicy': listed('A target is called once. Its function has the retries of an asynchronous invocation.'),
  ...all(withoutEffect, 'Description', 'RoleArn', 'Tags', 'Targets.RoleArn'),
  EventPattern: listed('A rehearsal has no event bus: nothing matches the pattern.'),
  EventBusName: listed('A rehearsal has no event bus.'),
  'Targets.InputPath': listed('The target gets the whole event.'),
  'Targets.InputTransformer': listed('The target gets the event as it is.'),
} satisfies PropertyRules;

const SCHEDULE = {
  ...all(run, 'Name', 'ScheduleExpression', 'State', 'Target.Arn', 'Target.Input', 'Target.SqsParameters'),
  'Target.DeadLetterConfig': listed('An event that its target refuses is in no dead-letter queue.'),
  // The CDK writes AWS's default.
  'Target.RetryPolicy': listedIf(
    (value) => Number(record(value)['MaximumRetryAttempts'] ?? 185) !== 185,
    'A target is called once. Its function has the retries of an asynchronous invocation.',
  ),
  ...all(withoutEffect, 'Description', 'GroupName', 'KmsKeyArn', 'ScheduleExpressionTimezone', 'Target.RoleArn'),
  FlexibleTimeWindow: listedIf((value) => record(value)['Mode'] !== 'OFF', 'The schedule runs when it is due.'),
  StartDate: listed('The schedule has no beginning.'),
  EndDate: listed('The schedule has no end.'),
} satisfies PropertyRules;

export const FUNCTION_RULES: Readonly<Record<string, PropertyRules>> = {
  'AWS::Lambda::Function': FUNCTION,
  'AWS::Lambda::Version': VERSION,
  'AWS::Lambda::Alias': ALIAS,
  'AWS::Lambda::Url': URL,
  'AWS::Lambda::EventInvokeConfig': INVOKE_CONFIG,
  'AWS::Lambda::EventSourceMapping': MAPPING,
  'AWS::Events::Rule': RULE,
  'AWS::Scheduler::Schedule': SCHEDULE,
};
