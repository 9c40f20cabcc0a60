export { type StartedExecution, startExecution } from './start-execution.ts';
export { type StartOnceOptions, startOnce } from './start-once.ts';
export type {
  Execution,
  NamedWorkflow,
  Started,
  UnnamedWorkflow,
  Workflow,
  WorkflowCall,
} from './workflow.ts';
