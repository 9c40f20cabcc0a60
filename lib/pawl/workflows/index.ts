export type { SqsHandler } from '../sqs/each-by.ts';
export type { SweptExecutions } from '../sweep/options.ts';
export { type EndContext, type EndHandler, type EndTold, executionEnded, startAgain } from './execution-ended.ts';
export { type StartedExecution, startExecution } from './start-execution.ts';
export { type StartOnceOptions, startOnce } from './start-once.ts';
export { waitingExecutions } from './waiting-executions.ts';
export type { WaitForEnd, WaitingOptions } from './waiting-options.ts';
export type {
  Execution,
  NamedWorkflow,
  Started,
  UnnamedWorkflow,
  Workflow,
  WorkflowCall,
} from './workflow.ts';
