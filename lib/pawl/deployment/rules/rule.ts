/** Where a figure or a statement comes from that is not pawl's own. */
export interface Source {
  readonly title: string;
  readonly url: string;
}

export interface Rule {
  /** What breaks the rule. */
  readonly broken: string;
  readonly because: string;
  /** A problem is refused at synth time, and ends `pawl doctor` with 1. A warning is for what may be meant. */
  readonly level: 'problem' | 'warning';
  /** Whether the options of a `Consumer` can break it; otherwise why not. */
  readonly construct: true | string;
  /** Whether the template can break it, through existing resources and escape hatches; otherwise why not. */
  readonly template: true | string;
  /** Whether `pawl doctor` sees it in what is deployed; otherwise why not. */
  readonly doctor: true | string;
  readonly source?: Source;
}

/** The rules of one subject, by their names. */
export type Rules = Readonly<Record<string, Rule>>;

const lambda = 'https://docs.aws.amazon.com/lambda/latest/dg';
const sqs = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide';
const iam = 'https://docs.aws.amazon.com/IAM/latest/UserGuide';
const cfn = 'https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference';

/** The pages that rules are from. */
export const from = {
  configure: { title: 'Lambda: configuring an SQS event source', url: `${lambda}/services-sqs-configure.html` },
  scaling: { title: 'Lambda: scaling of SQS event sources', url: `${lambda}/services-sqs-scaling.html` },
  instances: {
    title: 'Lambda: execution environments of Managed Instances',
    url: `${lambda}/lambda-managed-instances-execution-environment.html`,
  },
  filtering: { title: 'Lambda: event filtering', url: `${lambda}/with-sqs-filtering.html` },
  runtimes: { title: 'Lambda: runtimes', url: `${lambda}/lambda-runtimes.html` },
  retention: {
    title: 'SQS: retention of dead-letter queues',
    url: `${sqs}/setting-up-dead-letter-queue-retention.html`,
  },
  deadLetters: { title: 'SQS: dead-letter queues', url: `${sqs}/sqs-dead-letter-queues.html` },
  evaluation: {
    title: 'IAM: policy evaluation',
    url: `${iam}/reference_policies_evaluation-logic_policy-eval-denyallow.html`,
  },
  boundaries: { title: 'IAM: permissions boundaries', url: `${iam}/access_policies_boundaries.html` },
  mapping: {
    title: 'CloudFormation: AWS::Lambda::EventSourceMapping',
    url: `${cfn}/aws-resource-lambda-eventsourcemapping.html`,
  },
} as const satisfies Readonly<Record<string, Source>>;

/** Why a rule is not asked somewhere. */
export const byConstruct = 'no option of the construct can break it';
export const inHandler = 'it is in the handler’s code, which no template shows';
export const inHandlerDeployed = 'it is in the handler’s code, which no API shows';
