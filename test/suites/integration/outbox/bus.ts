import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { readBody } from '../../../../lib/rehearsal/engine/http.ts';
import { eventBridgeEvent } from '../../../support/notifications.ts';

export const busArn = 'arn:aws:events:us-east-1:000000000000:event-bus/shop';

/**
 * An EventBridge that puts what it receives into a queue, as a rule with that target does.
 *
 * @param put puts an event into the queue
 * @param answer what it says of the entry
 */
export async function startBus(
  put: (event: string) => Promise<unknown>,
  answer: (detail: string) => object = () => ({ EventId: 'id' }),
): Promise<{ readonly endpoint: string; readonly url: string }> {
  const server = createServer(async (request, response) => {
    const body = String(await readBody(request));
    // Its sender gave up meanwhile: nothing has arrived.
    if (!request.complete) return;
    const { Entries } = JSON.parse(body);
    const [{ Detail, Source, DetailType, EventBusName }] = Entries;
    expect([request.headers['x-amz-target'], EventBusName]).toEqual(['AWSEvents.PutEvents', busArn]);
    const entry = answer(Detail);
    if ('EventId' in entry) {
      const { detail: _, ...event } = eventBridgeEvent({}, { source: Source, 'detail-type': DetailType });
      await put(`${JSON.stringify(event).slice(0, -1)},"detail":${Detail}}`);
    }
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify({ FailedEntryCount: 'EventId' in entry ? 0 : 1, Entries: [entry] }));
  });
  return { endpoint: await listening(server), url: busArn };
}

/** Has a server listen until the test is over. @returns where */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
