import type { ServerResponse } from 'node:http';
import type { LiveEvent } from './api.ts';

/** Reports what happens, as it happens. @returns a function that ends it */
export type LiveFeed = (listener: (event: LiveEvent) => void) => () => void;

/** The events that a page gets which is opened later. */
const mostEvents = 200;

export interface LiveStream {
  serve(response: ServerResponse): void;
  stop(): void;
}

/** Keeps the last events, and hands every new one to all pages. */
export function openFeed(feed: LiveFeed, count: (event: LiveEvent) => void): LiveStream {
  const recent: LiveEvent[] = [];
  const pages = new Set<ServerResponse>();
  const lineOfEvent = (event: LiveEvent) => `data: ${JSON.stringify(event)}\n\n`;
  const stop = feed((event) => {
    count(event);
    recent.push(event);
    if (recent.length > mostEvents) recent.shift();
    for (const page of pages) page.write(lineOfEvent(event));
  });
  return {
    serve(response) {
      response.setHeader('content-type', 'text/event-stream');
      response.write(recent.map(lineOfEvent).join('') || ':\n\n');
      pages.add(response);
      response.once('close', () => pages.delete(response));
    },
    stop,
  };
}
