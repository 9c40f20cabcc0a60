import type { Part } from '../engine/parts.ts';
import type { TapHooks } from '../engine/servers/tap.ts';
import type { Service, ServiceEndpoint } from '../engine/service.ts';
import { api } from './api/index.ts';
import { dynamodb } from './dynamodb/index.ts';
import { eventBuses } from './event-buses/index.ts';
import type { EventDelivery } from './event-buses/put-events.ts';
import { lambda } from './lambda/index.ts';
import { others } from './others.ts';
import { s3 } from './s3/index.ts';
import { schedules } from './schedules/index.ts';
import { sns } from './sns/index.ts';
import type { QueueFaults } from './sqs/consumers.ts';
import { sqs } from './sqs/index.ts';
import type { StreamDelivery } from './streams/consumers.ts';
import { streams } from './streams/index.ts';

const all = [lambda, dynamodb, sqs, streams, api, sns, s3, schedules, eventBuses, others] as const;

type AnyService = (typeof all)[number];
type PartOf<S> = S extends Service<infer P, never, string> ? P : never;
type EndpointOf<S> = S extends Service<Part, never, infer Name> ? Name : never;

/** What a caller finds in an app that runs. */
export type AppPart = PartOf<AnyService>;

/** The services that have a server. */
export type EndpointName = EndpointOf<AnyService>;

/** What goes wrong: at the tap of each service that has a server, by its name, and where a service hands events to functions. */
export interface RehearsalFaults extends Taps, QueueFaults, StreamDelivery, EventDelivery {}

type Taps = { readonly [Name in EndpointName]?: TapHooks };

/** The services of AWS that a rehearsal stands in for. Each may use what those in front of it have made. */
export const services: readonly Service<AppPart, RehearsalFaults, EndpointName>[] = all;

export const endpoints: readonly ServiceEndpoint<EndpointName>[] = services.flatMap(({ endpoint }) => endpoint ?? []);
