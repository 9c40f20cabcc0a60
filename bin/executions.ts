import { App } from 'aws-cdk-lib';
import { Executions } from '../shop/stacks/executions.ts';

new Executions(new App(), 'PawlExecutions');
