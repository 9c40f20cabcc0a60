import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** The names of the executions that were started. */
export const started: string[] = [];

/** A stand-in: like Step Functions, it starts one execution of a name. The answer of its first request is lost. */
const server = createServer(async (request, response) => {
  const { name } = (await json(request)) as { readonly name: string };
  const isThere = started.includes(name);
  if (!isThere) started.push(name);
  const isLost = started.length === 1 && !isThere;
  console.log(
    `  StartExecution …-${name.at(-1)}: ${isThere ? 'it is there' : 'it starts'}${isLost ? ', and the answer is lost' : ''}`,
  );
  if (isLost) request.socket.destroy();
  else
    response.end(
      JSON.stringify({ executionArn: `${process.env.STATE_MACHINE_ARN}:${name}`, startDate: Date.now() / 1000 }),
    );
});

export async function startStepFunctions(): Promise<() => void> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  process.env.AWS_ENDPOINT_URL_SFN = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env.STATE_MACHINE_ARN = 'arn:aws:states:us-east-1:000000000000:stateMachine:settle';
  return () => server.close().closeAllConnections();
}

/** What EventBridge tells of the last execution. */
export const endAs = (status: 'FAILED' | 'SUCCEEDED') => ({
  source: 'aws.states',
  'detail-type': 'Step Functions Execution Status Change',
  detail: { name: started.at(-1), status, input: '{"orderId":"order-17"}' },
});
